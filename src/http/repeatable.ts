/**
 * Idempotency-Key: a request whose reply was lost can be sent again. The same key with the same request gets the same
 * answer; with another request it is refused. Keys are a caller's own, and are kept for a day.
 */
import { createHash } from 'node:crypto'
import type { AppContext } from '../app/app-context.ts'
import { repeatedIds } from '../app/ids.ts'
import { EvertickError } from '../core/error.ts'
import type { AnswerToKeep } from '../store/store.ts'

export interface Repeatable {
  readonly key: string | null
  readonly caller: string
  readonly what: readonly unknown[]
}

/** What a request that makes something knows of itself. */
export interface Try {
  /** Ids for what it makes: the same whenever the request is repeated. */
  readonly newId: AppContext['newId']
  /** The id that a former try has given to what it made, if there was one that never said how it ended. */
  readonly formerId: string | null
}

const longestKey = 200

export async function answerOnce(
  { store, clock, newId }: AppContext,
  { key, caller, what }: Repeatable,
  answer: (attempt: Try) => Promise<AnswerToKeep>,
): Promise<AnswerToKeep & { readonly repeated: boolean }> {
  if (key === null) return { ...(await answer({ newId, formerId: null })), repeated: false }
  refuseBadKey(key)
  const hash = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  const mine = { caller, key, hash, takenAt: clock.now() }
  const kept = await store.access.beginKept(mine)
  if (kept.kind === 'another') throw keyReused()
  if (kept.kind === 'under_way') throw keyUnderWay()
  if (kept.kind === 'answered') return { ...kept, repeated: true }
  const ids = () => repeatedIds(kept.begunAt, JSON.stringify([caller, key, hash]))
  let made: AnswerToKeep
  try {
    made = await answer({ newId: ids(), formerId: kept.again ? ids()(kept.begunAt) : null })
  } catch (error) {
    await store.access.endKept(mine, didNothing(error) ? 'undone' : 'unclear')
    throw error
  }
  // If this fails, the key stays taken: the work is done, and must not be done again at once.
  await store.access.endKept(mine, made)
  return { ...made, repeated: false }
}

/** A refusal is a refusal; an outage may have come after the commit. */
function didNothing(error: unknown): boolean {
  return error instanceof EvertickError && error.kind !== 'unavailable' && error.kind !== 'failed'
}

function refuseBadKey(key: string): void {
  if (key !== '' && key.length <= longestKey) return
  throw new EvertickError('invalid_option', `An Idempotency-Key has 1 to ${longestKey} characters.`, {
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
