/**
 * Idempotency-Key: a request whose reply was lost can be sent again. The same key with the same request gets the same
 * answer; with another request it is refused. Each caller has its own keys. They are kept for a day.
 */
import { createHash } from 'node:crypto'
import type { AppContext } from '../app/app-context.ts'
import { repeatedIds } from '../app/ids.ts'
import { type ExecutionView, executionView } from '../app/views.ts'
import { EvertickError } from '../core/error.ts'
import type { IdempotentAnswer } from '../store/store.ts'

export interface Keyed {
  readonly key: string | null
  readonly caller: string
  readonly what: readonly unknown[]
}

/** One try of a request that creates something. */
export interface Try {
  /** Ids for what it creates: a repeated request gets the same. */
  readonly newId: AppContext['newId']
  /** The first id of an earlier try whose reply was lost; null if there was none. */
  readonly earlierId: string | null
}

const longestKey = 200

export async function answerOnce(
  { store, clock, newId }: AppContext,
  { key, caller, what }: Keyed,
  answer: (attempt: Try) => Promise<IdempotentAnswer>,
): Promise<IdempotentAnswer & { readonly replayed: boolean }> {
  if (key === null) return { ...(await answer({ newId, earlierId: null })), replayed: false }
  refuseBadKey(key)
  const hash = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  const mine = { caller, key, hash, takenAt: clock.now() }
  const kept = await store.access.beginIdempotent(mine)
  if (kept.kind === 'another') throw keyReused()
  if (kept.kind === 'under_way') throw keyUnderWay()
  if (kept.kind === 'answered') return { ...kept, replayed: true }
  const ids = () => repeatedIds(kept.begunAt, JSON.stringify([caller, key, hash]))
  let made: IdempotentAnswer
  try {
    made = await answer({ newId: ids(), earlierId: kept.again ? ids()(kept.begunAt) : null })
  } catch (error) {
    await store.access.endIdempotent(mine, didNothing(error) ? 'undone' : 'unclear')
    throw error
  }
  // If this fails, the key stays taken: the work is done, and must not be repeated at once.
  await store.access.endIdempotent(mine, made)
  return { ...made, replayed: false }
}

/** The execution that an earlier try made. */
export async function replayedExecution(
  { app }: { readonly app: AppContext },
  id: string,
): Promise<ExecutionView | null> {
  const execution = await app.store.executions.findExecution(id)
  return execution === null ? null : executionView(execution)
}

/** A refused request did nothing; after an outage the work may be committed. */
function didNothing(error: unknown): boolean {
  return error instanceof EvertickError && error.kind !== 'unavailable' && error.kind !== 'failed'
}

function refuseBadKey(key: string): void {
  if (key !== '' && key.length <= longestKey) return
  throw new EvertickError('invalid_option', `An Idempotency-Key must have 1 to ${longestKey} characters.`, {
    field: 'Idempotency-Key',
  })
}

function keyReused(): EvertickError {
  return new EvertickError('key_reused', 'This Idempotency-Key was used for another request.', {
    field: 'Idempotency-Key',
    next: 'Use a new key for a new request.',
  })
}

function keyUnderWay(): EvertickError {
  return new EvertickError('key_under_way', 'A request with this Idempotency-Key is under way.', {
    field: 'Idempotency-Key',
    next: 'Ask again in a moment.',
  })
}
