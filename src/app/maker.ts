/** What makes jobs, executions, flows, batches and signals. */
import type { EnqueueOptions, EnqueueResult } from '../engine/worker/handler.ts'
import type { Signalled, SignalTarget } from '../store/store.ts'
import type { AppContext } from './app-context.ts'
import { type BatchOptions, type BatchResult, makeBatch } from './batch/batches.ts'
import { Executions } from './execution/executions.ts'
import { type EnqueueItem, Producer } from './execution/producer.ts'
import { type SignalOptions, signal } from './execution/steps.ts'
import type { FlowOptions } from './flow/flow-options.ts'
import { type FlowResult, makeFlow } from './flow/flows.ts'
import { Jobs } from './job/jobs.ts'

export interface Maker {
  readonly jobs: Jobs
  readonly executions: Executions
  enqueue(job: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult>
  flow(flow: FlowOptions): Promise<FlowResult>
  enqueueMany(items: readonly EnqueueItem[], options: { readonly batch: BatchOptions }): Promise<BatchResult>
  signal(target: SignalTarget, name: string, payload?: unknown, options?: SignalOptions): Promise<Signalled>
}

/** What it makes has the ids of this context's `newId`. */
export function makerOf(app: AppContext): Maker {
  const producer = new Producer(app)
  return {
    jobs: new Jobs(app),
    executions: new Executions(app),
    enqueue: (job, input, options) => producer.enqueue(job, input, options),
    flow: (flow) => makeFlow(app, producer, flow),
    enqueueMany: (items, options) => makeBatch(app, producer, items, options),
    signal: (target, name, payload, options) => signal(app, target, name, payload, options),
  }
}
