/**
 * A crontab from jobs. Whoever installs it runs what it says, so each line is made anew of values that are checked: the
 * schedule, and the program and arguments of a command that some node allows. Every other job is triggered. Metadata, which
 * a caller may write as they like, names at most the user of a trigger.
 */
import { userInfo } from 'node:os'
import { EvertickError } from '../../core/error.ts'
import { commandKey } from '../../core/job/handler.ts'
import type { Job } from '../../core/job/job.ts'
import { writeCommand } from '../../sources/crontab/command-text.ts'
import { isUserName } from '../../sources/crontab/crontab-line.ts'
import type { CrontabFormat } from '../../sources/crontab/parse-crontab.ts'
import { argvText } from '../../sources/crontab/plain-argv.ts'
import { plainCron } from '../../sources/crontab/plain-cron.ts'
import { type LeftOut, type WrittenEntry, writeCrontab } from '../../sources/crontab/write-crontab.ts'
import type { AppContext } from '../app-context.ts'
import { crontabKey, triggerText } from './import-crontab.ts'

export interface ExportedCrontab {
  readonly format: CrontabFormat
  readonly crontab: string
  /** The jobs that stand in it. */
  readonly exported: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** `format`: with a user column or without. @default with one where some job came from a crontab that had it */
export async function exportCrontab(
  { store, allowCommands }: Pick<AppContext, 'store' | 'allowCommands'>,
  { format }: { readonly format?: CrontabFormat } = {},
): Promise<ExportedCrontab> {
  const allowed = new Set([...(await store.cluster.listHandlers()), ...allowCommands.map(commandKey)])
  const entries: WrittenEntry[] = []
  const leftOut: LeftOut[] = []
  for (const job of await store.jobs.listJobs({ limit: 1_000_000 })) {
    const entry = entryOf(job, allowed)
    if ('why' in entry) leftOut.push({ job: job.name, why: entry.why })
    else entries.push(entry)
  }
  const chosen = format ?? (entries.some(({ user }) => user !== null) ? 'system' : 'user')
  return {
    format: chosen,
    crontab: writeCrontab(entries, leftOut, chosen === 'system' ? ownUser() : null),
    exported: entries.map(({ name }) => name),
    leftOut,
  }
}

function entryOf(job: Job, allowed: ReadonlySet<string>): WrittenEntry | { readonly why: string } {
  const { name, spec, state } = job
  // A job is disabled where no node has its handler: a crontab needs none.
  if (state !== 'active' && state !== 'disabled') return { why: `it is ${state}` }
  if (spec.startAt !== null || spec.endAt !== null || spec.maxRuns !== null) {
    return { why: 'its schedule has a start or an end' }
  }
  const plain = plainCron(spec.schedule)
  if ('why' in plain) return plain
  const command = commandOf(job, allowed)
  const { description } = spec
  // A command has no user: one from the metadata would be a way to act as another.
  const user = command === null ? keptUser(job) : null
  return { name, description, ...plain, command: command ?? triggerText(name), stdin: null, user }
}

/** Null where a crontab cannot express it, or nobody has allowed it: then the job is triggered, and its worker decides. */
function commandOf({ spec: { handler, input } }: Job, allowed: ReadonlySet<string>): string | null {
  if (handler.type !== 'command' || !allowed.has(commandKey(handler.command))) return null
  const isPlain = Object.keys(handler.env).length === 0 && handler.cwd === null && (input ?? null) === null
  const command = isPlain ? argvText([handler.command, ...handler.args]) : null
  return command === null || writeCommand({ command, stdin: null }) === null ? null : command
}

function keptUser({ spec }: Job): string | null {
  const kept = spec.metadata[crontabKey]
  const user = typeof kept === 'object' && kept !== null && 'user' in kept ? kept.user : null
  return typeof user === 'string' && isUserName(user) ? user : null
}

/** The user of lines that name none: root only if root runs the export. */
function ownUser(): string {
  const name = systemName()
  if (isUserName(name)) return name
  throw new EvertickError(
    'invalid_option',
    'A system crontab needs a user name, and the user of this process has none.',
    {
      field: 'format',
      next: 'Ask for the user format.',
    },
  )
}

function systemName(): string {
  try {
    return userInfo().username
  } catch {
    // A container may run under a number that has no name.
    return ''
  }
}
