/**
 * Idempotency-Key: a request whose reply was lost can be sent again. The same key with the same request gets the same
 * answer; with another request it is refused. Keys are a caller's own, and are kept for a day.
 */
import { createHash } from 'node:crypto'
import type { AppContext } from '../app/app-context.ts'
import { EvertickError } from '../core/error.ts'

export interface Answer {
  readonly status: number
  readonly body: string
}

const longestKey = 200

export async function answerOnce(
  { store, clock }: AppContext,
  request: { readonly key: string | null; readonly caller: string; readonly what: readonly unknown[] },
  answer: () => Promise<Answer>,
): Promise<Answer & { readonly repeated: boolean }> {
  const { key, caller, what } = request
  if (key === null) return { ...(await answer()), repeated: false }
  if (key === '' || key.length > longestKey) {
    throw new EvertickError('invalid_option', `An Idempotency-Key has 1 to ${longestKey} characters.`, {
      field: 'Idempotency-Key',
    })
  }
  const hash = createHash('sha256').update(JSON.stringify(what)).digest('hex')
  const begunAt = clock.now()
  const mine = { caller, key, hash, begunAt }
  const kept = await store.beginKept(mine)
  switch (kept.kind) {
    case 'answered':
      return { status: kept.status, body: kept.body, repeated: true }
    case 'another':
      throw new EvertickError('key_reused', 'This Idempotency-Key was used for another request.', {
        field: 'Idempotency-Key',
        next: 'Use a new key for a new request.',
      })
    case 'under_way':
      throw new EvertickError('key_under_way', 'A request with this Idempotency-Key is under way.', {
        field: 'Idempotency-Key',
        next: 'Ask again in a moment.',
      })
    case 'first':
  }
  let made: Answer
  try {
    made = await answer()
  } catch (error) {
    // Nothing was done: the same key may try again.
    await store.endKept(mine, null)
    throw error
  }
  // If this fails, the key stays taken: the work is done, and must not be done again at once.
  await store.endKept(mine, made)
  return { ...made, repeated: false }
}
