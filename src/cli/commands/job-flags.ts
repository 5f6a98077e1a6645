/** From flags to the options of a job. */
import type { CreateJob } from '../../app/jobs.ts'
import { EvertickError } from '../../core/error.ts'
import type { CatchUpPolicy, OverlapPolicy } from '../../core/job/job.ts'
import type { Duration, Schedule } from '../../core/schedule/schedule.ts'
import type { HandlerFlags } from './handler-flags.ts'

export interface JobFlags extends HandlerFlags {
  readonly cron?: string
  readonly tz?: string
  readonly every?: string
  readonly anchor?: string
  readonly fixedDelay?: string
  readonly at?: string
  readonly input?: unknown
  readonly catchUp?: CatchUpPolicy
  readonly maxMissedRuns?: number
  readonly catchUpWindow?: string
  readonly grace?: string
  readonly overlap?: OverlapPolicy
  readonly maxConcurrent?: number
  readonly attempts?: number
  readonly timeout?: string
  readonly startDeadline?: string
  readonly queue?: string
  readonly priority?: number
  readonly tag?: readonly string[]
  readonly description?: string
  readonly metadata?: Record<string, unknown>
}

/** Text from a flag: the library checks it, and its error names the field. */
const duration = (text: string) => text as Duration

export function optionsOfFlags(flags: JobFlags): Omit<CreateJob, 'name' | 'schedule' | 'handler'> {
  const catchUp = defined({
    policy: flags.catchUp,
    maxMissedRuns: flags.maxMissedRuns,
    window: flags.catchUpWindow,
    grace: flags.grace,
  })
  return defined({
    input: flags.input,
    catchUp: Object.keys(catchUp).length === 0 ? undefined : catchUp,
    overlap: flags.overlap,
    maxConcurrent: flags.maxConcurrent,
    retry: flags.attempts === undefined ? undefined : { attempts: flags.attempts },
    timeout: flags.timeout,
    startDeadline: flags.startDeadline,
    queue: flags.queue,
    priority: flags.priority,
    tags: flags.tag,
    description: flags.description,
    metadata: flags.metadata,
  })
}

/** undefined where no flag speaks of it. `known` is the schedule that an update keeps. */
export function scheduleOfFlags(flags: JobFlags, known: Schedule | null): Schedule | undefined {
  const { cron, tz, every, anchor, fixedDelay, at } = flags
  const kinds = Object.entries({ '--cron': cron, '--every': every, '--fixed-delay': fixedDelay, '--at': at })
  const given = kinds.flatMap(([flag, value]) => (value === undefined ? [] : [flag]))
  if (given.length > 1) {
    throw new EvertickError(
      'invalid_schedule',
      `${given.join(' and ')} were given; a job has one schedule.`,
      {
        field: 'schedule',
        next: 'Leave one of them out.',
      },
    )
  }
  const written = cron ?? (known !== null && 'cron' in known && given.length === 0 ? known.cron : undefined)
  if (tz !== undefined && written === undefined) throw stray('--tz', 'a cron')
  if (anchor !== undefined && every === undefined) throw stray('--anchor', '--every')
  if (written !== undefined && (cron !== undefined || tz !== undefined)) {
    const timezone = tz ?? (known !== null && 'cron' in known ? known.timezone : undefined)
    return { cron: written, ...(timezone === undefined ? {} : { timezone }) }
  }
  if (every !== undefined) return { every: duration(every), ...(anchor === undefined ? {} : { anchor }) }
  if (fixedDelay !== undefined) return { fixedDelay: duration(fixedDelay) }
  return at === undefined ? undefined : { at }
}

function stray(flag: string, needs: string): EvertickError {
  return new EvertickError('invalid_schedule', `${flag} goes with ${needs} only.`, {
    field: flag,
    next: `Add ${needs}, or leave ${flag} out.`,
  })
}

function defined(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
