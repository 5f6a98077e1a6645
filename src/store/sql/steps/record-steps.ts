/**
 * Memos. Each write holds the execution's row and asks it for the fence: what a worker learns after its lease has passed to
 * another is not remembered, or the other would do it again beside a memo that says it is done.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Claim, StepRecord, StepWithin } from '../../store.ts'
import type { SqlDriver } from '../runtime/driver.ts'
import { number, text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { insertSteps } from './step-rows.ts'

export function* recordSteps(records: readonly StepRecord[]): Script<string[]> {
  const held = yield* holdRunning(records)
  const [ours, refused] = [records.filter(isHeld), records.filter((record) => !isHeld(record))]
  const known = yield* rows(
    'SELECT execution_id, name, kind FROM @steps WHERE execution_id IN ?* AND name IN ?*',
    ours.map(({ id }) => id),
    [...new Set(ours.map(({ name }) => name))],
  )
  const kinds = new Map(
    known.map((step) => [`${text(step.execution_id)} ${text(step.name)}`, text(step.kind)]),
  )
  const kindOf = ({ id, name }: StepRecord) => kinds.get(`${id} ${name}`)
  const fresh = ours.filter((record) => kindOf(record) === undefined)
  yield* decideOpen(ours.filter((record) => kindOf(record) === record.kind))
  const unheard = ours.filter((record) => kindOf(record) !== undefined && kindOf(record) !== record.kind)
  for (const record of unheard) if (yield* dropUnheard(record)) fresh.push(record)
  yield* insertSteps(fresh.map(rowOf))
  return refused.map(({ id }) => id)

  function isHeld({ id, fence }: Claim): boolean {
    return held.get(id) === fence
  }
}

/** By id alone, or MySQL might go by the state, and wait for rows that are none of ours. */
function* holdRunning(claims: readonly Claim[]): Script<ReadonlyMap<string, number>> {
  const executions = yield* rows(
    'SELECT id, fence, state FROM @live_executions WHERE id IN ?* ORDER BY id FOR UPDATE',
    claims.map(({ id }) => id),
  )
  const running = executions.filter(({ state }) => state === 'running')
  return new Map(running.map(({ id, fence }) => [text(id), number(fence)]))
}

/** Sleeps and waits that are open. Who has decided one before, by a signal, stands. Many that wake together share a write. */
function* decideOpen(records: readonly StepRecord[]): Script<void> {
  const decided = records.flatMap(({ id, name, kind, decided }) =>
    decided === null ? [] : [{ id, same: [decided.at, decided.outcome, decided.result, name, kind] }],
  )
  for (const group of Map.groupBy(decided, ({ same }) => JSON.stringify(same)).values()) {
    yield* run(
      `UPDATE @steps SET decided_at = ?, outcome = ?, result = ?
       WHERE name = ? AND kind = ? AND execution_id IN ?* AND decided_at IS NULL`,
      ...(group[0]?.same ?? []),
      group.map(({ id }) => id),
    )
  }
}

/** A signal for a name that is no wait is nobody's. In the way of the memo, it would have the step done again, or fail. */
function* dropUnheard({ id, name, kind }: StepRecord): Script<boolean> {
  const dropped = yield* run(
    `DELETE FROM @steps WHERE execution_id = ? AND name = ? AND kind = 'wait' AND kind <> ? AND attempt IS NULL`,
    id,
    name,
    kind,
  )
  return dropped > 0
}

function rowOf(record: StepRecord) {
  const { id, name, kind, fence, attempt, tries, begunAt, endsAt, decided } = record
  return {
    execution_id: id,
    name,
    kind,
    fence,
    attempt,
    tries,
    begun_at: begunAt,
    ends_at: endsAt,
    decided_at: decided?.at ?? null,
    outcome: decided?.outcome ?? null,
    result: decided?.result ?? null,
    signal_id: null,
    signalled_by: null,
  }
}

/** The step's own writes and its memo, all of it or none: exactly once, as many as there are in one run. */
export async function stepWithin<T>(driver: SqlDriver, request: StepWithin<T>): Promise<T> {
  const { claim, maxMs, clock, run: work } = request
  return await driver.exclusive<T>({
    maxMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    first: () => refuseStale(claim),
    run: work,
    last: function* (result) {
      if ((yield* recordSteps([request.record(result)])).length > 0) throw staleLease(claim.id)
    },
  })
}

/**
 * For a user's transaction, before it begins. It holds nothing: the row is held by what is written last, or every renewal
 * of this node, and every rescue, would wait for the user's function.
 */
export function* refuseStale({ id, fence }: Claim): Script<void> {
  const held = yield* row(
    `SELECT id FROM @live_executions WHERE id = ? AND fence = ? AND state = 'running'`,
    id,
    fence,
  )
  if (held === null) throw staleLease(id)
}

export function staleLease(id: string): EvertickError {
  return new EvertickError('stale_lease', `The lease of execution ${id} has passed to another worker.`, {
    next: 'Nothing was written. Stop working on it: its signal has been aborted.',
  })
}
