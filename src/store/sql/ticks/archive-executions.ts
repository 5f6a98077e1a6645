/** What retention is about to remove, with all that goes with it: handed on before it is deleted, in the same transaction. */
import type { Archive } from '../../store.ts'
import { executionFrom, number } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import { listStepsOf } from '../steps/step-rows.ts'
import { listAttempts } from '../work/attempt-rows.ts'
import { listLogs } from '../work/running.ts'
import { listUsages } from '../work/usages.ts'

/** At a time: their payloads are in memory. */
const pageOf = 100

export function* archiveExecutions(ids: readonly string[], archive: Archive): Script<void> {
  for (let at = 0; at < ids.length; at += pageOf) yield* archivePage(ids.slice(at, at + pageOf), archive)
}

function* archivePage(ids: readonly string[], archive: Archive): Script<void> {
  const found = yield* rows(
    `SELECT e.*, j.name AS job_name FROM @job_executions e JOIN @jobs j ON j.id = e.job_id WHERE e.id IN ?*`,
    ids,
  )
  const executions = found.toSorted((a, b) => number(a.seq) - number(b.seq)).map(executionFrom)
  const own = executions.map(({ id }) => id)
  const attempts = Map.groupBy(yield* listAttempts(own), ({ executionId }) => executionId)
  const usages = Map.groupBy(yield* listUsages(own), ({ executionId }) => executionId)
  const logs = Map.groupBy(yield* listLogs(own), ({ executionId }) => executionId)
  const steps = yield* listStepsOf(own)
  archive(
    executions.map((execution, at) => ({
      execution,
      attempts: attempts.get(execution.id) ?? [],
      usages: usages.get(execution.id) ?? [],
      steps: steps[at] ?? [],
      logs: logs.get(execution.id) ?? [],
    })),
  )
}
