/** What may be done with a job now, where only its last execution tells. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import type { Job } from '../../../core/job/job.ts'
import { legalActions, refusedAction } from '../../../core/job/job-state.ts'
import type { AppContext } from '../../app-context.ts'

type Looking = Pick<AppContext, 'store' | 'clock'>

/** The table of states refuses in the database; whether a retry is among what is legal, it cannot know there. */
export async function sayingWhatIsLegal<T>(
  app: Looking,
  reference: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EvertickError) || error.transition === undefined) throw error
    const job = await app.store.jobs.findJob(reference)
    if (job === null) throw error
    const { code, message, next, transition } = error
    const last = await lastOf(app, job)
    const actions = legalActions(job.state, last?.state ?? null)
    throw new EvertickError(code, message, {
      ...(next === undefined ? {} : { next }),
      transition: { ...transition, actions },
      cause: error,
    })
  }
}

/** The execution that a retry of the job runs again: its last one, if that has failed. */
export async function failedExecution(app: Looking, job: Job): Promise<Execution> {
  const last = await lastOf(app, job)
  if (last?.state === 'failed') return last
  throw refusedAction(job, 'retry', last?.state ?? null)
}

async function lastOf({ store, clock }: Looking, job: Job): Promise<Execution | null> {
  const [last] = await store.executions.lastExecutions([job.id], clock.now())
  return last?.execution ?? null
}
