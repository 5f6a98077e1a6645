/** `evertick.executions` and `evertick.leases`: single units of work, and who holds them. */
import { EvertickError } from '../../core/error.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { LogRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import { type Why, whyExecution } from '../job/why.ts'
import { type ExecutionView, executionView, waitingView } from '../views.ts'
import { type ExecutionDetail, executionDetail } from './execution-detail.ts'
import { executionFilter } from './execution-filter.ts'
import { PullLeases } from './pull-leases.ts'
import { waitsFor } from './waits.ts'

export interface LogLine {
  readonly at: Date
  readonly level: LogRow['level']
  readonly message: string
}

export const executionOrders = ['-createdAt', 'createdAt'] as const

export interface ListExecutions {
  /** By id or name. */
  readonly job?: string
  readonly state?: ExecutionState
  readonly queue?: string
  /** The search language: `state:failed -queue:slow from:2027-01-04T00:00:00Z`. */
  readonly filter?: string
  /** @default '-createdAt', newest first */
  readonly sort?: (typeof executionOrders)[number]
  /** @default 100 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

export interface RetryExecution extends ActorOptions {
  /** The first of its steps, sleeps or waits that is done again. */
  readonly fromStep?: string
}

export class Executions {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async list(
    query: ListExecutions = {},
  ): Promise<{ executions: ExecutionView[]; nextCursor: string | null }> {
    refuseUnknown(query, ['job', 'state', 'queue', 'filter', 'sort', 'limit', 'cursor'], 'executions.list')
    const { cursor, limit: asked, filter = '', sort = '-createdAt', ...given } = query
    const limit = pageLimit(asked, 100)
    const rows = await this.#app.store.executions.listExecutions({
      ...executionFilter(filter),
      ...given,
      oldestFirst: sort === 'createdAt',
      limit: limit + 1,
      ...(cursor === undefined ? {} : { afterId: cursor }),
    })
    const page = rows.slice(0, limit)
    const waits = await waitsFor(this.#app, page)
    return {
      executions: page.map((execution) => waitingView(execution, waits.get(execution.id))),
      nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null,
    }
  }

  async get(id: string): Promise<ExecutionDetail> {
    const execution = await this.#app.store.executions.findExecution(id)
    if (execution === null) throw executionNotFound(id)
    return await executionDetail(this.#app, execution)
  }

  /** What it waits for, or how it stands; and the next step. */
  async why(id: string): Promise<Why> {
    const execution = await this.#app.store.executions.findExecution(id)
    if (execution === null) throw executionNotFound(id)
    return await whyExecution(this.#app, execution)
  }

  /** An execution that runs is asked to stop: its signal is aborted. */
  async cancel(id: string, by: ActorOptions = {}): Promise<ExecutionView> {
    const cancelled = await this.#app.store.executions.cancelExecution(id, changeContext(this.#app, by))
    // The end of a fixedDelay tick writes the next one.
    this.#app.jobChanged()
    return executionView(cancelled)
  }

  /**
   * A final execution stays as it is; this makes a new one with the same instant and idempotency key. What its steps have
   * done is not done again, from `fromStep` on it is; of a completed one everything is, unless a step is named.
   */
  async retry(id: string, { fromStep, ...by }: RetryExecution = {}): Promise<ExecutionView> {
    const context = changeContext(this.#app, by)
    const retry = { id: this.#app.newId(context.now), fromStep: fromStep ?? null }
    const made = await this.#app.store.executions.retryExecution(id, retry, context)
    this.#app.enqueued()
    return executionView(made)
  }

  async logs(id: string): Promise<LogLine[]> {
    if ((await this.#app.store.executions.findExecution(id)) === null) throw executionNotFound(id)
    const lines = await this.#app.store.executions.listLogs(id)
    return lines.map(({ at, level, message }) => ({ at: new Date(at), level, message }))
  }
}

function executionNotFound(id: string): EvertickError {
  return new EvertickError('execution_not_found', `There is no execution ${id}.`, {
    next: 'List executions with `evertick executions list`; retention removes old ones.',
  })
}

/** Who holds which execution; and, from `PullLeases`, leases for workers over HTTP. */
export class Leases extends PullLeases {
  readonly #app: AppContext
  readonly #random: () => number

  constructor(app: AppContext, random: () => number) {
    super(app, random)
    this.#app = app
    this.#random = random
  }

  async active(): Promise<ExecutionView[]> {
    return (await this.#app.store.executions.listLeases('active', this.#app.clock.now())).map(executionView)
  }

  async expired(): Promise<ExecutionView[]> {
    return (await this.#app.store.executions.listLeases('expired', this.#app.clock.now())).map(executionView)
  }

  /**
   * Does now what the rescuer would do in a moment; returns how many leases were reset. `olderThan`: only those that
   * expired that long ago.
   */
  async resetExpired({
    olderThan = 0,
    ...by
  }: ActorOptions & { olderThan?: Duration } = {}): Promise<number> {
    const { store } = this.#app
    const { now: at, actor, origin } = changeContext(this.#app, by)
    const now = at - parseDuration(olderThan, 'olderThan')
    const { expired } = await store.work.expireLeases({ now, limit: 10_000, random: this.#random })
    if (expired.length > 0) {
      const entry = { at, actor, origin, action: 'leases.reset', subject: 'leases', before: null }
      await store.audit.appendAuditLog([{ ...entry, after: { executions: expired.map(({ id }) => id) } }])
    }
    this.#app.jobChanged()
    return expired.length
  }
}
