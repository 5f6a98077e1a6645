/** The history of runs and its figures. Runs are written by the engine alone, and go by retention. */
import { contextOf } from '../../app/app-context.ts'
import type { ExecutionDetail } from '../../app/execution/execution-detail.ts'
import type { Metrics } from '../../app/reports/metrics.ts'
import type { ExecutionView } from '../../app/views.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import { type Statistics, statisticsOf } from '../../core/history/statistics.ts'
import type { Evertick } from '../../evertick.ts'
import type { OwnNode } from '../own-node.ts'
import { nodeFor, type RepositoryOptions } from './repository-node.ts'

export type JobStats = Statistics & { readonly lastExecution: ExecutionView | null }
/** The figures of a job, over all jobs, beside the counts of jobs and executions. */
export type AggregateStats = Statistics & Metrics

const aggregatedRuns = 10_000

export class ExecutionRepository {
  readonly #node: OwnNode

  /** On a node that is there, or on a database of its own that is opened at first use. */
  constructor(given: Evertick | OwnNode | RepositoryOptions) {
    this.#node = nodeFor(given, 'ExecutionRepository')
  }

  /** Newest first, a page at a time. */
  async list(
    query: { job?: string; state?: ExecutionState; limit?: number; cursor?: string } = {},
  ): Promise<{ executions: ExecutionView[]; nextCursor: string | null }> {
    return await (await this.#node.opened()).executions.list(query)
  }

  async get(id: string): Promise<ExecutionDetail> {
    return await (await this.#node.opened()).executions.get(id)
  }

  /** Success rate, durations and the last run of a job, over its kept runs. */
  async getJobStats(job: string): Promise<JobStats> {
    return await (await this.#node.opened()).jobs.stats(job)
  }

  /** The same over all jobs, with the counts of jobs and of executions; over the newest 10,000 runs. */
  async getAggregateStats(): Promise<AggregateStats> {
    const evertick = await this.#node.opened()
    const runs = await contextOf(evertick).store.executions.newestRuns(aggregatedRuns)
    return { ...statisticsOf(runs), ...(await evertick.metrics()) }
  }

  /** A node that was given stays as it is. */
  async close(): Promise<void> {
    await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}
