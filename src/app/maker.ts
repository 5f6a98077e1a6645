/** What makes jobs, executions and signals. */
import type { EnqueueOptions, EnqueueResult } from '../engine/worker/handler.ts'
import type { Signalled, SignalTarget } from '../store/store.ts'
import type { AppContext } from './app-context.ts'
import { Executions } from './execution/executions.ts'
import { Producer } from './execution/producer.ts'
import { type SignalOptions, signal } from './execution/steps.ts'
import { Jobs } from './job/jobs.ts'

export interface Maker {
  readonly jobs: Jobs
  readonly executions: Executions
  enqueue(job: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult>
  signal(target: SignalTarget, name: string, payload?: unknown, options?: SignalOptions): Promise<Signalled>
}

/** What it makes has the ids of this context's `newId`. */
export function makerOf(app: AppContext): Maker {
  const producer = new Producer(app)
  return {
    jobs: new Jobs(app),
    executions: new Executions(app),
    enqueue: (job, input, options) => producer.enqueue(job, input, options),
    signal: (target, name, payload, options) => signal(app, target, name, payload, options),
  }
}
