/** What the newest runs of a job used. */
import type { Usage } from '../../core/attempt/usage.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'

export interface UsageOptions {
  /** How many of its newest runs are looked at, whether they were watched or not. @default 200 */
  readonly limit?: number
}

/** What the attempts of one execution used: the highest peak, and their CPU time together. */
export interface RunUsageView extends Usage {
  readonly executionId: string
  readonly state: ExecutionState
  /** When its last attempt began. */
  readonly startedAt: Date
}

export async function jobUsage(app: AppContext, { id }: Job, options: UsageOptions): Promise<RunUsageView[]> {
  refuseUnknown(options, ['limit'], 'jobs.usage')
  const runs = await app.store.executions.jobUsages(id, pageLimit(options.limit, 200))
  return runs.map(({ id: executionId, startedAt, ...run }) => ({
    executionId,
    startedAt: new Date(startedAt),
    ...run,
  }))
}
