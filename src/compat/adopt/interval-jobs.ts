/** Rows of somebody's own interval scheduler, `jobs`, in its flat words, which REST and the facade take as well. */
import type { AppContext } from '../../app/app-context.ts'
import { type IntervalType, optionsOfLegacy } from '../../app/job/legacy/legacy-job.ts'
import type { Evertick } from '../../evertick.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import { type AdoptedJobs, type AdoptJobs, adoptJobs, type Over } from './adopt-jobs.ts'
import type { JobOfRow } from './adopted-job.ts'
import { flagIn, instantIn, numberIn, otherColumns, recordIn, textIn, Unreadable } from './cells.ts'

export interface AdoptIntervalJobs extends AdoptJobs {
  /** Of all jobs. @default each job's own name */
  readonly handler?: string | undefined
}

/** What the scheduler there keeps about a job; all other columns are what its work needs: the input. */
const ownColumns = [
  'id',
  'name',
  'status',
  'interval_minutes',
  'interval_type',
  'next_run_at',
  'schedule_time',
  'schedule_enabled',
  'timezone',
  'is_paused',
  'max_retries',
  'current_retry_count',
  'retry_backoff_seconds',
  'lock_token',
  'lock_acquired_at',
  'metadata',
  'created_at',
  'updated_at',
  'started_at',
  'completed_at',
  'paused_at',
  'cancelled_at',
  'error_message',
  'scheduler_version',
]

/** One that has neither an interval nor a cron runs once: these have, or never will. */
const over = ['completed', 'failed', 'cancelled']

export async function adoptIntervalJobs(
  evertick: Evertick,
  { handler, ...options }: AdoptIntervalJobs,
): Promise<AdoptedJobs> {
  return await adoptJobs(
    evertick,
    {
      kind: 'interval-jobs',
      keys: ['id'],
      jobOf: (row, app) => jobOfRow(row, app, handler),
      alsoKnownAs: () => null,
    },
    options,
  )
}

function jobOfRow(
  row: ForeignRow,
  { clock }: AppContext,
  handler: string | undefined,
): (JobOfRow & { readonly says: string }) | Over {
  const id = textIn(row, 'id')
  if (id === null) throw new Unreadable('it has no id')
  const name = textIn(row, 'name') ?? `job-${id}`
  const status = textIn(row, 'status') ?? 'scheduled'
  const interval = numberIn(row, 'interval_minutes')
  const cron = textIn(row, 'schedule_time')
  const maxRetries = numberIn(row, 'max_retries')
  const once = interval === null && cron === null
  if (status === 'cancelled' || (once && over.includes(status))) return { over: status }
  const retries = numberIn(row, 'current_retry_count') ?? 0
  const input = otherColumns(row, ownColumns)
  const metadata = recordIn(row, 'metadata')
  const job = optionsOfLegacy(
    {
      name,
      input: Object.keys(input).length === 0 ? undefined : input,
      metadata,
      runNow: false,
      ...(handler === undefined ? {} : { handler }),
      ...(interval === null
        ? {}
        : {
            interval_minutes: interval,
            interval_type: (textIn(row, 'interval_type') ?? 'minutes') as IntervalType,
          }),
      ...(cron === null ? {} : { schedule_time: cron }),
      ...(maxRetries === null ? {} : { max_retries: maxRetries }),
    },
    clock.now(),
  )
  const { name: _name, runNow: _runNow, paused: _paused, schedule, ...options } = job
  const timed = schedule === undefined || schedule === null ? {} : { schedule: inPhase(schedule, row) }
  const isPaused = flagIn(row, 'is_paused') ?? status === 'paused'
  const notes = [
    once
      ? 'once'
      : interval === null
        ? cron
        : `every ${interval} ${textIn(row, 'interval_type') ?? 'minutes'}`,
    ...(interval !== null && cron !== null ? [`its cron ${cron} is kept`] : []),
    ...(isPaused ? ['paused there'] : []),
    ...(status === 'running' ? ['runs there now'] : []),
    ...(retries > 0 ? [`${retries === 1 ? 'a retry' : `${retries} retries`} so far: not counted here`] : []),
  ]
  return { id, name, job: { ...options, ...timed }, once, pausedThere: isPaused, says: notes.join(', ') }
}

/** The interval goes on where the old scheduler would go on, and a cron in the zone of its row. */
function inPhase(
  schedule: NonNullable<JobOfRow['job']['schedule']>,
  row: ForeignRow,
): NonNullable<JobOfRow['job']['schedule']> {
  if ('cron' in schedule) {
    const timezone = textIn(row, 'timezone')
    return timezone === null ? schedule : { ...schedule, timezone }
  }
  const nextAt = instantIn(row, 'next_run_at')
  return 'every' in schedule && nextAt !== null ? { ...schedule, anchor: new Date(nextAt) } : schedule
}
