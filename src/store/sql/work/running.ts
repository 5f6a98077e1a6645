/** What a handler tells while it runs (progress, log lines), and who is asked to stop. */
import { idOrNone } from '../../../core/id.ts'
import type { LogRow, ProgressRow } from '../../store.ts'
import { logLevelOf, number, text } from '../runtime/rows.ts'
import { insertAll, rows, run, type Script } from '../runtime/script.ts'

export function* listLogs(executionIds: readonly string[]): Script<LogRow[]> {
  const ids = executionIds.map(idOrNone)
  const lines = yield* rows('SELECT * FROM @execution_logs WHERE execution_id IN ?* ORDER BY seq', ids)
  return lines.map((line) => ({
    executionId: text(line.execution_id),
    at: number(line.at),
    level: logLevelOf(line.level),
    message: text(line.message),
  }))
}

export function* appendLogs(lines: readonly LogRow[]): Script<void> {
  yield* insertAll(
    'execution_logs',
    { execution_id: 'uuid', at: 'number', level: 'text', message: 'text' },
    lines.map(({ executionId, at, level, message }) => ({ execution_id: executionId, at, level, message })),
  )
}

export function* recordProgress(updates: readonly ProgressRow[]): Script<void> {
  for (const update of updates) {
    yield* run(
      `UPDATE @live_executions SET progress = ?, progress_note = ? WHERE id = ? AND fence = ? AND state = 'running'`,
      update.progress,
      update.note,
      update.id,
      update.fence,
    )
  }
}

export function* findCancelRequests(nodeId: string): Script<string[]> {
  const executions = yield* rows(
    `SELECT id FROM @live_executions WHERE state = 'running' AND leased_by = ? AND cancel_requested_at IS NOT NULL`,
    nodeId,
  )
  return executions.map((execution) => text(execution.id))
}
