/** What makes jobs and executions. */
import type { EnqueueOptions, EnqueueResult } from '../engine/worker/handler.ts'
import type { AppContext } from './app-context.ts'
import { Executions } from './execution/executions.ts'
import { Producer } from './execution/producer.ts'
import { Jobs } from './job/jobs.ts'

export interface Maker {
  readonly jobs: Jobs
  readonly executions: Executions
  enqueue(job: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult>
}

/** What it makes has the ids of this context's `newId`. */
export function makerOf(app: AppContext): Maker {
  const producer = new Producer(app)
  return {
    jobs: new Jobs(app),
    executions: new Executions(app),
    enqueue: (job, input, options) => producer.enqueue(job, input, options),
  }
}
