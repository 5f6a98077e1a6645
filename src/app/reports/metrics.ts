/** The figures of the whole cluster, as the database knows them. */
import { statisticsOf } from '../../core/history/statistics.ts'
import type { JobStatus } from '../../core/job/job-status.ts'
import type { AppContext } from '../app-context.ts'

export interface Metrics {
  readonly jobs: { readonly total: number; readonly byStatus: Readonly<Partial<Record<JobStatus, number>>> }
  readonly executions: {
    /** Executions that are still kept: retention removes older ones. */
    readonly total: number
    readonly running: number
    readonly completed: number
    readonly failed: number
    readonly retrying: number
    readonly sleeping: number
    readonly waiting: number
  }
  readonly successRate: number | null
  readonly avgDurationMs: number | null
  readonly staleLeases: number
  readonly collectedAt: Date
}

const metricRuns = 10_000

export async function metricsOf({ store, clock }: AppContext): Promise<Metrics> {
  const [jobs, executions, runs] = [
    await store.jobs.countStatuses(clock.now()),
    await store.executions.countExecutions(),
    await store.executions.newestRuns(metricRuns),
  ]
  const { successRate, avgDurationMs } = statisticsOf(runs)
  const total = (counts: Record<string, number>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0)
  return {
    jobs: { total: total(jobs), byStatus: jobs },
    executions: {
      total: total(executions),
      running: executions.running ?? 0,
      completed: executions.completed ?? 0,
      failed: executions.failed ?? 0,
      retrying: executions.retrying ?? 0,
      sleeping: executions.sleeping ?? 0,
      waiting: executions.waiting ?? 0,
    },
    successRate,
    avgDurationMs,
    staleLeases: (await store.executions.listLeases('expired', clock.now())).length,
    collectedAt: new Date(clock.now()),
  }
}
