/** What the newest executions of a job used. */
import { usageOfRun } from '../../../core/attempt/usage.ts'
import type { RunUsage } from '../../store.ts'
import { executionStateOf, number, text } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import { listUsages } from '../work/usages.ts'

const newestText = `
  SELECT e.seq, e.id, e.state, e.started_at FROM @job_executions e WHERE e.job_id = ? ORDER BY e.seq DESC LIMIT ?`

/** Newest first; without those of which nothing is kept. */
export function* jobUsages(jobId: string, limit: number): Script<RunUsage[]> {
  const executions = yield* rows(newestText, jobId, limit)
  const begun = executions.filter(({ started_at }) => started_at !== null)
  const usages = yield* listUsages(begun.map(({ id }) => text(id)))
  const attempts = Map.groupBy(usages, ({ executionId }) => executionId)
  return begun.flatMap((execution) => {
    const id = text(execution.id)
    const used = attempts.get(id)
    if (used === undefined) return []
    const [state, startedAt] = [executionStateOf(execution.state), number(execution.started_at)]
    return { id, state, startedAt, ...usageOfRun(used) }
  })
}
