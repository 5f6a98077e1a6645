/**
 * Jobs from a crontab. An imported job names a handler after itself and keeps its command, so
 * that the function that takes the command's place can be told what it was.
 */
import { EvertickError } from '../core/error.ts'
import { parseTimezone } from '../core/schedule/timezone.ts'
import {
  type CrontabEntry,
  type CrontabFormat,
  parseCrontab,
  type UnsupportedLine,
} from '../sources/crontab/parse-crontab.ts'
import type { ActorOptions, CreateJob, Jobs } from './jobs.ts'
import type { JobView } from './views.ts'

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
  /** Names that belong to jobs which no crontab has made; those are left alone. */
  readonly conflicts: readonly { readonly line: number; readonly job: string; readonly why: string }[]
  readonly unsupported: readonly UnsupportedLine[]
}

/** Under which key of its metadata a job keeps the line that it came from. */
export const crontabKey = 'crontab'

export async function importCrontab(
  jobs: Jobs,
  text: string,
  { format, timezone, dryRun = false, actor = 'api' }: ImportCrontab = {},
): Promise<ImportedCrontab> {
  const crontab = parseCrontab(text, { format })
  const zone = timezone === undefined ? undefined : parseTimezone(timezone, 'timezone')
  const created: string[] = []
  const updated: string[] = []
  const unchanged: string[] = []
  const conflicts: { line: number; job: string; why: string }[] = []
  for (const entry of crontab.entries) {
    const { name, line } = entry
    const found = await findJob(jobs, name)
    const job = jobOf(entry, zone, found)
    if (found === null) {
      if (!dryRun) await jobs.create(job, { actor })
      created.push(name)
    } else if (!(crontabKey in found.metadata)) {
      conflicts.push({ line, job: name, why: `there is a job of this name, managed by ${found.managedBy}` })
    } else if (isSame(found, job)) unchanged.push(name)
    else {
      const { name: _name, handler: _handler, ...changes } = job
      if (!dryRun) await jobs.update(name, changes, { actor })
      updated.push(name)
    }
  }
  return { format: crontab.format, created, updated, unchanged, conflicts, unsupported: crontab.unsupported }
}

function jobOf(entry: CrontabEntry, timezone: string | undefined, found: JobView | null): CreateJob {
  const { name, cron, command, user, stdin, description } = entry
  const zone = entry.timezone ?? timezone
  return {
    name,
    handler: name,
    schedule: zone === undefined ? { cron } : { cron, timezone: zone },
    ...(description === null ? {} : { description }),
    metadata: {
      ...found?.metadata,
      [crontabKey]: { command, ...(user === null ? {} : { user }), ...(stdin === null ? {} : { stdin }) },
    },
  }
}

function isSame(found: JobView, job: CreateJob): boolean {
  const cronOf = ({
    schedule,
    metadata,
    description,
  }: Pick<JobView, 'schedule' | 'metadata' | 'description'>) =>
    JSON.stringify([schedule, metadata[crontabKey], description])
  const { schedule = { cron: '' }, metadata = {}, description = found.description } = job
  const zone = 'timezone' in schedule ? schedule.timezone : found.timezone
  const wanted = 'cron' in schedule ? { cron: schedule.cron, timezone: zone ?? found.timezone } : null
  return cronOf(found) === cronOf({ schedule: wanted, metadata, description })
}

async function findJob(jobs: Jobs, name: string): Promise<JobView | null> {
  try {
    return await jobs.get(name)
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'job_not_found') return null
    throw error
  }
}
