/** `evertick.flows`: executions that wait for one another, as a whole. */
import { type FlowState, flowNotFound } from '../../core/flow/flow.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import type { Producer } from '../execution/producer.ts'
import { type FlowOptions, newFlow } from './flow-options.ts'
import { type FlowDetail, type FlowView, flowDetail, flowView } from './flow-view.ts'

export interface FlowResult {
  readonly id: string
  /** The execution of each step, by its name. */
  readonly executions: Readonly<Record<string, string>>
}

export interface ListFlows {
  readonly state?: FlowState
  /** All of this name. */
  readonly name?: string
  /** @default 100 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

export interface RetryFlow extends ActorOptions {
  /** The step to begin with: it and all that comes after it run again. @default all that did not complete */
  readonly from?: string
}

/** All of it, or nothing. */
export async function makeFlow(
  app: AppContext,
  producer: Producer,
  options: FlowOptions,
): Promise<FlowResult> {
  const flow = await newFlow(app, producer, options)
  const drafts = flow.steps.map(({ execution }) => execution)
  await producer.making(drafts, options.tx, (within) => app.store.flows.createFlow(flow, within))
  const executions = flow.steps.map(({ name, execution }) => [name, execution.id] as const)
  return { id: flow.id, executions: Object.fromEntries(executions) }
}

export class Flows {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  /** Newest first. */
  async list(query: ListFlows = {}): Promise<{ flows: FlowView[]; nextCursor: string | null }> {
    refuseUnknown(query, ['state', 'name', 'limit', 'cursor'], 'flows.list')
    const { limit: asked, cursor, ...which } = query
    const limit = pageLimit(asked, 100)
    const found = await this.#app.store.flows.listFlows({
      ...which,
      limit: limit + 1,
      ...(cursor === undefined ? {} : { afterId: cursor }),
    })
    const page = found.slice(0, limit)
    return { flows: page.map(flowView), nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null }
  }

  async get(id: string): Promise<FlowDetail> {
    const flow = await this.#app.store.flows.findFlow(id)
    if (flow === null) throw flowNotFound(id)
    return flowDetail(flow)
  }

  /** What waits is cancelled, what runs is asked to stop. */
  async cancel(id: string, by: ActorOptions = {}): Promise<FlowDetail> {
    return flowDetail(await this.#app.store.flows.cancelFlow(id, changeContext(this.#app, by)))
  }

  /**
   * Runs a part of it again: what did not complete, or a step with all that comes after it. Executions that have ended stay
   * as they are; new ones follow them.
   */
  async retry(id: string, { from, ...by }: RetryFlow = {}): Promise<FlowDetail> {
    const retry = { from: from ?? null }
    const flow = await this.#app.store.flows.retryFlow(id, retry, changeContext(this.#app, by))
    this.#app.enqueued()
    return flowDetail(flow)
  }
}
