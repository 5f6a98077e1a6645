/** The executions of explained ticks, for their durations, attempts and errors. */
import type { ExplanationView } from '../../../app/job/explain.ts'
import type { ExecutionView } from '../../../app/views.ts'
import type { System } from '../../system.ts'

const pageSize = 1_000
/** Older executions are shown without their duration. */
const maxPages = 10

export async function executionsOf(
  evertick: Pick<System, 'executions'>,
  { job, ticks }: Pick<ExplanationView, 'job' | 'ticks'>,
  from: Date,
): Promise<Map<string, ExecutionView>> {
  const wanted = new Set(ticks.flatMap(({ executionId }) => (executionId === undefined ? [] : [executionId])))
  const executions = new Map<string, ExecutionView>()
  let cursor: string | null = null
  for (let page = 0; page < maxPages && executions.size < wanted.size; page += 1) {
    const list: { executions: ExecutionView[]; nextCursor: string | null } = await evertick.executions.list({
      job,
      limit: pageSize,
      ...(cursor === null ? {} : { cursor }),
    })
    for (const execution of list.executions)
      if (wanted.has(execution.id)) executions.set(execution.id, execution)
    cursor = list.nextCursor
    const oldest = list.executions.at(-1)
    if (cursor === null || oldest === undefined || oldest.createdAt < from) break
  }
  return executions
}
