/** The newest run of a job that has begun: the newest execution may be that of a tick which is still to come. */
import type { Evertick } from '../../app/evertick.ts'
import type { ExecutionView, JobView } from '../../app/views.ts'

const looked = 5

export async function lastRunOf(
  evertick: Evertick,
  { id, lastExecution }: Pick<JobView, 'id' | 'lastExecution'>,
): Promise<ExecutionView | null> {
  if (lastExecution === null || lastExecution.startedAt !== null) return lastExecution
  const { executions } = await evertick.executions.list({ job: id, limit: looked })
  return executions.find(({ startedAt }) => startedAt !== null) ?? null
}
