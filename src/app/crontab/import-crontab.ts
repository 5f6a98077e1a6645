/**
 * Jobs from a crontab. A line that needs no shell becomes a command. Any other names a handler after itself and keeps its
 * command, so that the function that takes the command's place can be told what it was.
 */

import { isDeepStrictEqual } from 'node:util'
import { EvertickError } from '../../core/error.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import { shellWord } from '../../core/shell-word.ts'
import { isRecord } from '../../core/unknown-value.ts'
import {
  type CrontabEntry,
  type CrontabFormat,
  parseCrontab,
  type UnsupportedLine,
} from '../../sources/crontab/parse-crontab.ts'
import { plainArgv } from '../../sources/crontab/plain-argv.ts'
import type { ActorOptions } from '../change-context.ts'
import type { CommandHandlerOptions } from '../handler/handler-options.ts'
import type { CreateJob, Jobs } from '../job/jobs.ts'
import type { JobView } from '../views.ts'

export interface ImportCrontab extends ActorOptions {
  /** @default 'system' where every line has a user and root is among them, else 'user' */
  readonly format?: CrontabFormat
  /** The zone of lines below no CRON_TZ. @default that of the node */
  readonly timezone?: string
  readonly dryRun?: boolean
}

export interface ImportedCrontab {
  readonly format: CrontabFormat
  readonly created: readonly string[]
  readonly updated: readonly string[]
  readonly unchanged: readonly string[]
  /** Of the created and updated ones: those that run the program of their line; the others need a function. */
  readonly commands: readonly { readonly job: string; readonly command: string }[]
  /** Names that belong to jobs which no crontab has made; those are left alone. */
  readonly conflicts: readonly { readonly line: number; readonly job: string; readonly why: string }[]
  readonly unsupported: readonly UnsupportedLine[]
}

/** The jobs of a database, or of a server. */
type JobBook = Pick<Jobs, 'get' | 'create' | 'update'>

/** Under which key of its metadata a job keeps the line that it came from. */
export const crontabKey = 'crontab'

/** What an export writes for a job that is not a plain command. */
export function triggerText(job: string): string {
  return `evertick jobs trigger ${shellWord(job)}`
}

export async function importCrontab(
  jobs: JobBook,
  text: string,
  { format, timezone, dryRun = false, ...by }: ImportCrontab = {},
): Promise<ImportedCrontab> {
  const crontab = parseCrontab(text, { format })
  const zone = timezone === undefined ? undefined : parseTimezone(timezone, 'timezone')
  const created: string[] = []
  const updated: string[] = []
  const unchanged: string[] = []
  const commands: { job: string; command: string }[] = []
  const conflicts: { line: number; job: string; why: string }[] = []
  for (const entry of crontab.entries) {
    const { name, line } = entry
    const existing = await findJob(jobs, name)
    const handler = handlerOf(entry, crontab.unsupported)
    const job = jobOf(entry, zone, existing)
    const written = () => {
      if (typeof handler === 'object') commands.push({ job: name, command: handler.command })
    }
    if (existing === null) {
      if (!dryRun) await jobs.create({ ...job, handler }, by)
      created.push(name)
      written()
    } else if (isSame(existing, job)) unchanged.push(name)
    else if (!(crontabKey in existing.metadata)) {
      conflicts.push({ line, job: name, why: `a job of this name exists, managed by ${existing.managedBy}` })
    } else {
      const { name: _name, ...changes } = job
      const ours = isOurs(existing) && !isOwnTrigger(entry)
      if (!dryRun) await jobs.update(name, ours ? { ...changes, handler } : changes, by)
      updated.push(name)
      if (ours) written()
    }
  }
  const { unsupported } = crontab
  return { format: crontab.format, created, updated, unchanged, commands, conflicts, unsupported }
}

/** A line with its own user, input or environment cannot become a command of ours. */
function handlerOf(
  { name, line, command, user, stdin }: CrontabEntry,
  unsupported: readonly UnsupportedLine[],
): string | CommandHandlerOptions {
  const surrounded = unsupported.some(
    (setting) => setting.kind === 'setting' && setting.line < line && !setting.text.startsWith('MAIL'),
  )
  const argv = user === null && stdin === null && !surrounded ? plainArgv(command) : null
  const [program, ...args] = argv ?? []
  return program === undefined ? name : { type: 'command', command: program, args }
}

/** Whether the handler is still what the last import made of the line. A person's choice stays. */
function isOurs({ name, handler, metadata }: JobView): boolean {
  if (handler.type === 'function') return handler.name === name
  const { command } = keptLine(metadata)
  const argv = typeof command === 'string' ? plainArgv(command) : null
  return handler.type === 'command' && isDeepStrictEqual(argv, [handler.command, ...(handler.args ?? [])])
}

function jobOf(entry: CrontabEntry, timezone: string | undefined, existing: JobView | null): CreateJob {
  const { name, cron, command, user, stdin, description } = entry
  const zone = entry.timezone ?? timezone
  return {
    name,
    schedule: zone === undefined ? { cron } : { cron, timezone: zone },
    ...(description === null ? {} : { description }),
    metadata:
      existing !== null && isOwnTrigger(entry)
        ? existing.metadata
        : {
            ...existing?.metadata,
            [crontabKey]: {
              command,
              ...(user === null ? {} : { user }),
              ...(stdin === null ? {} : { stdin }),
            },
          },
  }
}

/** A line of ours that triggers this very job says when, and nothing about what it runs. */
function isOwnTrigger({ name, command }: CrontabEntry): boolean {
  return command === triggerText(name)
}

function isSame(existing: JobView, job: CreateJob): boolean {
  const cronOf = ({
    schedule,
    metadata,
    description,
  }: Pick<JobView, 'schedule' | 'metadata' | 'description'>) =>
    JSON.stringify([schedule, lineOf(metadata), description])
  const { schedule = { cron: '' }, metadata = {}, description = existing.description } = job
  const zone = 'timezone' in schedule ? schedule.timezone : existing.timezone
  const wanted = 'cron' in schedule ? { cron: schedule.cron, timezone: zone ?? existing.timezone } : null
  return cronOf(existing) === cronOf({ schedule: wanted, metadata, description })
}

/** The same for every way of quoting. */
function lineOf(metadata: Readonly<Record<string, unknown>>): unknown {
  const { command, ...kept } = keptLine(metadata)
  return { ...kept, command: plainArgv(typeof command === 'string' ? command : '') ?? command }
}

function keptLine(metadata: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const kept = metadata[crontabKey]
  return isRecord(kept) ? kept : {}
}

async function findJob(jobs: JobBook, name: string): Promise<JobView | null> {
  try {
    return await jobs.get(name)
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'job_not_found') return null
    throw error
  }
}
