/** The newest run of a job that has begun: the last execution may still wait for a worker. */
import type { ExecutionView, JobView } from '../../../app/views.ts'
import type { System } from '../../system.ts'

const looked = 5

export async function lastRunOf(
  evertick: Pick<System, 'executions'>,
  { id, lastExecution }: Pick<JobView, 'id' | 'lastExecution'>,
): Promise<ExecutionView | null> {
  if (lastExecution === null || lastExecution.startedAt !== null) return lastExecution
  const { executions } = await evertick.executions.list({ job: id, limit: looked })
  return executions.find(({ startedAt }) => startedAt !== null) ?? null
}
