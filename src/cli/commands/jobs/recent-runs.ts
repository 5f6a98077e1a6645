/** What a job did lately. */
import type { ListedJob } from '../../../app/job/list-jobs.ts'
import { tickBar } from '../../output/tick-bar.ts'
import type { Session } from '../../session.ts'
import type { System } from '../../system.ts'
import { executionsOf } from '../ticks/executions-of-ticks.ts'

const searchedExecutions = 5

/** The newest run that has begun: the last execution may still be waiting for a worker. */
export async function lastRunOf(
  evertick: Pick<System, 'executions'>,
  { id, lastExecution }: Pick<ListedJob, 'id' | 'lastExecution'>,
): Promise<ListedJob['lastExecution']> {
  if (lastExecution === null || lastExecution.startedAt !== null) return lastExecution
  const { executions } = await evertick.executions.list({ job: id, limit: searchedExecutions })
  return executions.find(({ startedAt }) => startedAt !== null) ?? null
}

/** The latest ticks as a bar; empty if there are none. */
export async function tickBarOf(
  { evertick, terminal }: Session,
  { id, schedule }: ListedJob,
  limit: number,
): Promise<string> {
  if (schedule === null) return ''
  const ticks = await evertick.jobs.ticks(id, { limit })
  const [first] = ticks
  if (first === undefined) return ''
  const executions = await executionsOf(evertick, { job: id, ticks }, first.scheduledFor)
  return tickBar(terminal.out, ticks, executions)
}
