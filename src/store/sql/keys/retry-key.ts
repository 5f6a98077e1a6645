/** A retry takes the key of the execution that it tries again, unless a newer event has followed that one. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import { rows, run, type Script } from '../runtime/script.ts'
import { followKey, type HeldKey, heldFrom, holdKeys, insertKeys } from './key-rows.ts'

/** Null where it has no such key. The caller holds its job. */
export function* holdForRetry({ id }: Pick<Execution, 'id'>): Script<HeldKey | null> {
  const [own] = (yield* rows('SELECT * FROM @unique_keys WHERE execution_id = ?', id)).map(heldFrom)
  if (own === undefined) return null
  const [newest] = yield* holdKeys([own])
  if (newest?.executionId === id) return newest
  const { key } = own
  if (newest === undefined) {
    throw new EvertickError(
      'invalid_transition',
      `Execution ${id} was followed by a newer event of its key "${key}", which is no longer kept.`,
      { next: 'Enqueue it again with the input that holds now.' },
    )
  }
  throw new EvertickError(
    'invalid_transition',
    `Execution ${id} was followed by ${newest.executionId}: a newer event of its key "${key}".`,
    { next: `Retry that one: \`evertick executions retry ${newest.executionId}\`.` },
  )
}

/** The events of the first are the retry's now. */
export function* passKey(held: HeldKey, retryId: string): Script<void> {
  yield* followKey(held, retryId)
  yield* insertKeys([{ ...held, executionId: retryId }])
  yield* run(
    `UPDATE @live_executions SET tied = 1, limit_keys = COALESCE(limit_keys, '[]') WHERE id = ?`,
    retryId,
  )
}
