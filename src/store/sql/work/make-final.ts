/**
 * The end of executions, by whatever hand. Whoever writes a final state (a worker, the rescuer, an operator, a deploy, a
 * plan) calls `makeFinal` in the same transaction: what an end brings with it is written here and nowhere else. What
 * follows in the job's lane comes after it: `settleEnded`, or the caller's own where it holds the job and is not done with
 * its lane.
 */
import { isFinal } from '../../../core/execution/execution-state.ts'
import type { Heard } from '../../store.ts'
import { tellEnded } from '../notices/tell-ended.ts'
import type { Script } from '../runtime/script.ts'
import type { Ended } from './ended.ts'
import { settleTies } from './settle-ties.ts'

/** What is kept of an execution; only a claim or its lease needs the others. */
export const finishedColumns = [
  'seq',
  'id',
  'job_id',
  'cause',
  'tick_at',
  'account',
  'scheduled_for',
  'state',
  'ready_at',
  'queue',
  'priority',
  'handler',
  'attempt',
  'max_attempts',
  'caught_up_index',
  'caught_up_of',
  'input',
  'result',
  'error',
  'cancel_reason',
  'cancel_requested_at',
  'progress',
  'progress_note',
  'metadata',
  'unique_key',
  'retry_of',
  'idempotency_key',
  'fence',
  'leased_by',
  'created_at',
  'started_at',
  'finished_at',
  'tied',
  'root_id',
  'flow_id',
  'flow_step',
  'batch_id',
] as const

/** What an end writes, in SQL; all else moves along as it is. */
export type FinishedValues = Readonly<Partial<Record<(typeof finishedColumns)[number], string>>>

const names = finishedColumns.join(', ')
const ended = `id IN ?* AND state IN ('completed', 'failed', 'cancelled')`
const copyText = `INSERT INTO @finished_executions (${names}) SELECT ${names} FROM @live_executions WHERE ${ended}`
const removeText = `DELETE FROM @live_executions WHERE ${ended}`

/**
 * A completion has kept its row already, by the one statement that writes it: it is most of what a server does. `heard` is
 * what a node knows of who listens: with it, an end that nobody hears of costs no look. An end may end others: returned are
 * all of them, for their lanes.
 */
export function* makeFinal(ended: readonly Ended[], heard?: Heard): Script<readonly Ended[]> {
  const all: Ended[] = []
  for (let open = ended; open.length > 0; open = yield* settleTies(open.filter(({ tied }) => tied))) {
    all.push(...open)
    yield* keepFinished(
      open.filter(({ state }) => isFinal(state) && state !== 'completed').map(({ id }) => id),
    )
    yield* tellEnded(open, heard)
  }
  return all
}

/** The rows go to the finished ones, where those have a table of their own. */
export function* keepFinished(ids: readonly string[]): Script<void> {
  if (ids.length === 0) return
  const copied = yield* moved(copyText, ids)
  const removed = yield* moved(removeText, ids)
  if (copied !== removed) throw new Error(`${copied} executions were kept, but ${removed} have ended.`)
}

function* moved(text: string, ids: readonly string[]): Script<number> {
  return yield { text, params: [ids], wants: 'changes', apart: true }
}
