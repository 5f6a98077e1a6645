/** A function of the user's as the engine's handler: it is given the job, and holds the job's lock while it runs. */
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import { outcome } from '../../engine/worker/outcome-signal.ts'
import type { IntervalJob, JobRepository } from './job-repository.ts'
import type { RunLocks } from './run-locks.ts'

/** How a job is done. What it returns is the run's result; the signal is aborted when the job is cancelled. */
export type JobWork = (job: IntervalJob, context: JobContext) => unknown

export function jobHandler(
  name: string,
  work: JobWork,
  parts: {
    readonly jobs: JobRepository
    readonly locks: RunLocks
    readonly againMs: number
  },
): Handler {
  const { jobs, locks, againMs } = parts
  return {
    name,
    parse: (input) => input,
    async run(context: JobContext) {
      const job = await jobs.get(context.job)
      const lock = await locks.take(job.id)
      // Somebody works on the job by hand: try later, without using up an attempt.
      if (lock === null) throw outcome.snooze(againMs)
      try {
        const signal = AbortSignal.any([context.signal, lock.lost])
        return await work(job, { ...context, signal })
      } finally {
        await lock.release()
      }
    },
  }
}
