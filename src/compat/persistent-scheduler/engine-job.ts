/** A job of the scheduler as the engine knows it: options, handler and restored spec. */
import { type DefinedJob, defineJob } from '../../app/job/define-job.ts'
import { jobSpec } from '../../app/job/job-options.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { usualPayloadBytes } from '../../core/payload.ts'
import type { Logger } from '../../engine/logger.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import type { GivenJob, SchedulerConfig } from './scheduler-config.ts'

type ZonedJob = GivenJob & { readonly timezone: string }

/** Tells the jobs of this facade from others in the same database. */
export const schedulerTag = 'scheduler'
/** Tasks that may overlap: as many as this node runs at all. Their catch-ups still come one at a time. */
const unprotected = 1_000
/** A task that throws is not tried again. One whose process dies is, this often in all. */
const attempts = 10

export function engineJob(
  job: ZonedJob,
  { onError }: Pick<SchedulerConfig, 'onError'>,
  logger: Logger,
): DefinedJob {
  const run = async (context: JobContext) => {
    if (context.caughtUp !== null) logger.info(catchingUp(context))
    try {
      return await job.task(context)
    } catch (thrown) {
      // A task that was told to stop has not failed: the engine decides what becomes of it.
      if (thrown instanceof OutcomeSignal || context.signal.aborted) throw thrown
      await tell(job, onError, thrown, logger)
      const error = errorFrom(thrown)
      throw new OutcomeSignal(error.message, { kind: 'fail', error, told: true })
    }
  }
  return defineJob({ name: job.name, ...optionsOf(job), run })
}

/**
 * What a former process left: under the schedule that held then, with the policies that hold now. With no grace, or a
 * run missed by seconds would come on top of `maxMissedRuns`.
 */
export function specOfPast(
  job: ZonedJob,
  past: { readonly cron: string; readonly timezone: string },
): JobSpec {
  const options = optionsOf({ ...job, ...past })
  const written = { ...options, catchUp: { ...options.catchUp, grace: 0 } }
  return jobSpec(written, {
    name: job.name,
    handler: job.name,
    maxPayloadBytes: usualPayloadBytes,
    timezone: 'UTC',
    createdAt: 0,
  })
}

function optionsOf(job: ZonedJob) {
  return {
    schedule: { cron: job.cron, timezone: job.timezone },
    catchUp: { policy: job.catchUp ? 'all' : 'none', maxMissedRuns: job.maxMissedRuns },
    overlap: 'skip',
    maxConcurrent: job.protect ? 1 : unprotected,
    retry: { attempts },
    tags: [schedulerTag],
  } as const satisfies JobOptions
}

function catchingUp({ job, scheduledFor, caughtUp }: JobContext): string {
  return `${job}: catching up on ${scheduledFor.toISOString()} (${caughtUp?.index} of ${caughtUp?.of})`
}

/** Neither a failed run nor an `onError` that throws affects other runs. */
async function tell(
  job: GivenJob,
  onError: SchedulerConfig['onError'],
  error: unknown,
  logger: Logger,
): Promise<void> {
  // It may be an async function, whatever its type says.
  const told = (listener: (error: unknown, name: string) => unknown) => listener(error, job.name)
  try {
    if (job.onError !== null) await told(job.onError)
    else if (onError !== undefined) await told(onError)
    else logger.error(`${job.name} failed`, { error })
  } catch (thrown) {
    logger.error(`onError of ${job.name} threw`, { error: thrown })
  }
}
