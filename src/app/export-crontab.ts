/** A crontab from jobs: those that came from one with their commands, the others as a trigger of the job. */
import type { Job } from '../core/job/job.ts'
import type { CommandText } from '../sources/crontab/command-text.ts'
import type { CrontabFormat } from '../sources/crontab/parse-crontab.ts'
import { plainCron } from '../sources/crontab/plain-cron.ts'
import {
  type LeftOut,
  unwritable,
  type WrittenEntry,
  writeCrontab,
} from '../sources/crontab/write-crontab.ts'
import type { AppContext } from './app-context.ts'
import { crontabKey } from './import-crontab.ts'

export interface ExportedCrontab {
  readonly format: CrontabFormat
  readonly crontab: string
  /** The jobs that stand in it. */
  readonly exported: readonly string[]
  readonly leftOut: readonly LeftOut[]
}

/** What is kept of the line that a job came from. */
type KeptLine = Partial<CommandText> & { readonly user?: string }

/** `format`: with a user column or without. @default with one where some job came from a crontab that had it */
export async function exportCrontab(
  { store }: Pick<AppContext, 'store'>,
  { format }: { readonly format?: CrontabFormat } = {},
): Promise<ExportedCrontab> {
  const entries: WrittenEntry[] = []
  const leftOut: LeftOut[] = []
  for (const job of await store.listJobs({ limit: 1_000_000 })) {
    const entry = entryOf(job)
    const why = 'why' in entry ? entry.why : unwritable(entry)
    if ('why' in entry || why !== null) leftOut.push({ job: job.name, why: why ?? '' })
    else entries.push(entry)
  }
  const chosen = format ?? (entries.some(({ user }) => user !== null) ? 'system' : 'user')
  return {
    format: chosen,
    crontab: writeCrontab(entries, leftOut, chosen),
    exported: entries.map(({ name }) => name),
    leftOut,
  }
}

function entryOf(job: Job): WrittenEntry | { readonly why: string } {
  const { spec, state } = job
  // A job is disabled where no node has its handler: a crontab needs none.
  if (state !== 'active' && state !== 'disabled') return { why: `it is ${state}` }
  if (spec.startAt !== null || spec.endAt !== null || spec.maxRuns !== null) {
    return { why: 'its schedule has a start or an end' }
  }
  const plain = plainCron(spec.schedule)
  if ('why' in plain) return plain
  const { command, stdin, user } = keptLine(job)
  return {
    name: job.name,
    description: spec.description,
    cron: plain.cron,
    timezone: plain.timezone,
    command: command ?? `evertick jobs trigger ${quoted(job.name)}`,
    stdin: stdin ?? null,
    user: user ?? null,
  }
}

function keptLine({ spec }: Job): KeptLine {
  const kept = spec.metadata[crontabKey]
  return typeof kept === 'object' && kept !== null ? kept : {}
}

/** For a shell. */
function quoted(name: string): string {
  return /^[\w.:/@-]+$/.test(name) ? name : `'${name}'`
}
