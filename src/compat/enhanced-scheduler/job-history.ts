/**
 * The job history: what ran, when, for how long, and how it ended. The entries are the engine's executions of
 * schedules: those that its nodes run, and those that an app starts and completes by hand, in one list.
 */
import { contextOf } from '../../app/app-context.ts'
import { pageLimit, refuseUnknown } from '../../app/config/call-options.ts'
import { EvertickError } from '../../core/error.ts'
import { type Statistics, statisticsOf } from '../../core/history/statistics.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { Instant } from '../../core/schedule/schedule.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Evertick } from '../../evertick.ts'
import type { RunQuery } from '../../store/store.ts'
import type { OwnNode } from '../own-node.ts'
import { type ConnectOptions, isConnect, nodeOf } from './connect.ts'
import { type BegunRun, beginRun, claimOf, endRun, type RunEnd, runEndNames } from './hand-run.ts'
import { entryOf, type HistoryEntry, type HistoryStatus, statesOf } from './history-entry.ts'
import { RunKeeper } from './run-keeper.ts'
import { domainTag, inputOf, isSchedule, tagsOfAll } from './schedule-record.ts'

export interface StartExecution {
  readonly scheduleId: string
  /** @default the schedule's */
  readonly domain?: string
  /** The app's own name for the run. @default the engine's id of the schedule's job */
  readonly jobId?: string
  /** @default {} */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface HistoryQuery {
  readonly scheduleId?: string
  readonly domain?: string
  readonly status?: HistoryStatus
  /** Begun at or after this instant. */
  readonly from?: Instant
  /** Begun before this instant. */
  readonly to?: Instant
  /** @default 100 */
  readonly limit?: number
}

export interface StatisticsQuery {
  readonly scheduleId?: string
  readonly domain?: string
  /** @default 30 */
  readonly days?: number
}

export interface HistoryStatistics extends Omit<Statistics, 'completed'> {
  readonly success: number
  /** Under way at present; in none of the other figures. */
  readonly started: number
}

const dayMs = 86_400_000
/** Of each schedule; beyond it, figures are about its newest. */
const statisticsRuns = 10_000

export class JobHistory {
  readonly #node: OwnNode
  readonly #logger: Logger | undefined
  readonly #alone: boolean
  readonly #begun = new Map<string, BegunRun>()
  #keeper: RunKeeper | null = null

  /** Connects at its first use. A logger beside a node is for what goes wrong here. @default the options', else stderr */
  constructor(given: Evertick | ConnectOptions | OwnNode, { logger }: { readonly logger?: Logger } = {}) {
    this.#node = nodeOf(given, 'JobHistory')
    this.#alone = isConnect(given)
    this.#logger = logger ?? (isConnect(given) ? given.logger : undefined)
  }

  /** Returns the id under which the run is to be completed. Until then its lease is renewed here. */
  async startExecution(start: StartExecution): Promise<string> {
    refuseUnknown(start, ['scheduleId', 'domain', 'jobId', 'metadata'], 'startExecution')
    const app = await this.#app()
    const job = await app.store.jobs.findJob(start.scheduleId)
    if (job === null || !isSchedule(job)) throw noSchedule(start.scheduleId)
    const input = { domain: start.domain ?? inputOf(job.spec).domain, jobId: start.jobId ?? null }
    const begun = await beginRun(app, job.id, input, start.metadata ?? {})
    this.#begun.set(begun.id, begun)
    this.#keeper ??= await this.#newKeeper()
    this.#keeper.hold(begun)
    return begun.id
  }

  /** Once: a run that has its end already is refused with `invalid_transition`. */
  async completeExecution(executionId: string, end: RunEnd): Promise<void> {
    refuseUnknown(end, runEndNames, 'completeExecution')
    const app = await this.#app()
    const run = this.#begun.get(executionId) ?? (await this.#findOpen(executionId))
    await endRun(app, run, end)
    this.#begun.delete(run.id)
    this.#keeper?.letGo(run.id)
  }

  /** Newest first. */
  async find(query: HistoryQuery = {}): Promise<HistoryEntry[]> {
    refuseUnknown(query, ['scheduleId', 'domain', 'status', 'from', 'to', 'limit'], 'find')
    const { status, from, to } = query
    await this.#endOrphans()
    const app = await this.#app()
    const runs = await app.store.compat.listRuns({
      ...runQuery(query),
      ...(status === undefined ? {} : { states: statesOf(status) }),
      ...(from === undefined ? {} : { from: parseInstant(from, 'from') }),
      ...(to === undefined ? {} : { to: parseInstant(to, 'to') }),
      limit: pageLimit(query.limit, 100),
    })
    return runs.map(entryOf)
  }

  async getStatistics(query: StatisticsQuery = {}): Promise<HistoryStatistics> {
    refuseUnknown(query, ['scheduleId', 'domain', 'days'], 'getStatistics')
    await this.#endOrphans()
    const { store, clock } = await this.#app()
    const since = clock.now() - daysOf(query.days ?? 30)
    const asked = { ...runQuery(query), from: since, limit: statisticsRuns }
    const { completed, ...figures } = statisticsOf(await store.compat.finishedRuns(asked))
    const open = await store.compat.listRuns({ ...asked, states: statesOf('started') })
    return { ...figures, success: completed, started: open.length }
  }

  /** Removes what is older, and says how many. The newest entry of a schedule and what is still open always stay. */
  async cleanup({ days, ...rest }: { readonly days: number }): Promise<number> {
    refuseUnknown(rest, ['days'], 'cleanup')
    const { store, clock } = await this.#app()
    const ageMs = daysOf(days)
    let removed = 0
    for (const job of await store.jobs.listJobs({ tag: tagsOfAll[0] ?? '', limit: 1_000_000 })) {
      removed += await store.compat.purgeJob(job.id, ageMs, clock.now())
    }
    return removed
  }

  /** Runs that are still open stay so until their leases end, and then count as failed. */
  async close(): Promise<void> {
    await this.#keeper?.stop()
    this.#keeper = null
    this.#begun.clear()
    if (this.#alone) await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #app() {
    return await this.#node.context()
  }

  /** Of a process that died: also where no node runs that would take back their leases, whoever asks finds them ended. */
  async #endOrphans(): Promise<void> {
    const { store, clock } = await this.#app()
    if ((await store.executions.listLeases('expired', clock.now(), 1)).length === 0) return
    await (await this.#node.opened()).leases.resetExpired()
  }

  /** With a node beside it, that node's rescuer sweeps; else nobody would. */
  async #newKeeper(): Promise<RunKeeper> {
    const evertick = await this.#node.opened()
    const sweep = this.#alone ? () => evertick.leases.resetExpired() : null
    if (sweep !== null) await sweep()
    return new RunKeeper(contextOf(evertick), this.#logger, sweep)
  }

  async #findOpen(executionId: string): Promise<BegunRun> {
    const { store } = await this.#app()
    const execution = await store.executions.findExecution(executionId)
    if (execution !== null) return claimOf(execution)
    throw new EvertickError('execution_not_found', `There is no execution ${executionId}.`, {
      next: 'Complete it under the id that startExecution returned.',
    })
  }
}

function runQuery({
  scheduleId,
  domain,
}: Pick<HistoryQuery, 'scheduleId' | 'domain'>): Omit<RunQuery, 'limit'> {
  return {
    tags: domain === undefined ? tagsOfAll : [...tagsOfAll, domainTag(domain)],
    ...(scheduleId === undefined ? {} : { job: scheduleId }),
  }
}

function daysOf(days: number): number {
  if (typeof days === 'number' && Number.isFinite(days) && days >= 0) return days * dayMs
  throw new EvertickError('invalid_option', `days is ${String(days)}; it must be a number of at least 0.`, {
    field: 'days',
  })
}

export function noSchedule(scheduleId: string): EvertickError {
  return new EvertickError('job_not_found', `No schedule is named "${scheduleId}".`, {
    field: 'scheduleId',
    next: 'List the schedules with repository.list().',
  })
}
