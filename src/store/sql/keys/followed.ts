/** Executions that a newer event of their key has followed: what would be tried again ends instead. */
import { idsOf } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import { isSleeping } from '../steps/step-rows.ts'
import { cancelWaiting, type Ended } from '../work/ended.ts'

const followedText = `
  SELECT e.id FROM @unique_keys k JOIN @live_executions e ON e.id = k.execution_id
  WHERE k.execution_id IN ?* AND k.followed_by <> '' AND NOT ${isSleeping}`

/**
 * Of attempts that have ended, or were given back, those that would be tried again although a newer event has followed them:
 * they end here. No key is held for that. An event whose commit is not seen yet finds the execution in its turn, or the next
 * claim of it does.
 */
export function* endFollowed(ended: readonly Ended[]): Script<Ended[]> {
  const again = ended.filter(
    ({ cause, state }) => cause === 'enqueue' && (state === 'retrying' || state === 'pending'),
  )
  const [first] = again
  if (first === undefined) return []
  const found = yield* rows(
    followedText,
    again.map(({ id }) => id),
  )
  if (found.length === 0) return []
  return yield* cancelWaiting('replaced', first.at, 'id IN ?*', [...idsOf(found)])
}
