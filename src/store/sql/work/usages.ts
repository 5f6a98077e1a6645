/** What attempts used. It is written with their end, and only of those that were watched: others have no row, and no statement. */
import { idOrNone } from '../../../core/id.ts'
import type { FinishedAttempt, UsageRow } from '../../store.ts'
import { number, optionalNumber, text } from '../runtime/rows.ts'
import { hold, insertAll, rows, type Script } from '../runtime/script.ts'

const columns = {
  execution_id: 'uuid',
  fence: 'number',
  peak_memory_bytes: 'number',
  cpu_ms: 'number',
} as const

/**
 * Before the ends are written: a batch of completions is a transaction of its own where nothing else is, and this makes it
 * part of one with the usage. By id alone, or MySQL might go by the state, and wait for rows that are none of ours.
 */
export function* holdUsed(attempts: readonly FinishedAttempt[]): Script<void> {
  const ids = attempts.filter(({ usage }) => usage !== undefined).map(({ id }) => id)
  if (ids.length > 0)
    yield* hold('SELECT id FROM @live_executions WHERE id IN ?* ORDER BY id FOR UPDATE', ids)
}

/** Of attempts whose end was written under their fence: a row is written once. */
export function* insertUsages(attempts: readonly FinishedAttempt[]): Script<void> {
  const used = attempts.flatMap(({ id, fence, usage }) =>
    usage === undefined
      ? []
      : { execution_id: id, fence, peak_memory_bytes: usage.peakMemoryBytes, cpu_ms: usage.cpuMs },
  )
  yield* insertAll('usages', columns, used)
}

/** An index has all of it. */
const usagesText =
  'SELECT execution_id, fence, peak_memory_bytes, cpu_ms FROM @usages WHERE execution_id IN ?*'

export function* listUsages(executionIds: readonly string[]): Script<UsageRow[]> {
  if (executionIds.length === 0) return []
  const usages = yield* rows(usagesText, executionIds.map(idOrNone))
  return usages.map((usage) => ({
    executionId: text(usage.execution_id),
    fence: number(usage.fence),
    peakMemoryBytes: optionalNumber(usage.peak_memory_bytes),
    cpuMs: optionalNumber(usage.cpu_ms),
  }))
}
