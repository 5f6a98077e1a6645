/** A signal answers a wait, also one that has not begun yet; the wait's row decides between it and the timeout. */
import { EvertickError } from '../../../core/error.ts'
import type { ChangeContext, NewSignal, Signalled, SignalTarget } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { readExecution } from '../executions/make-execution.ts'
import { findJob, holdLanes } from '../jobs/lock-job.ts'
import { jobFrom, text } from '../runtime/rows.ts'
import { type Row, row, run, type Script } from '../runtime/script.ts'
import { settleLane } from '../work/lane.ts'
import { isUnfinished } from '../work/states.ts'
import { insertSteps } from './step-rows.ts'

export function* signalExecution(
  target: SignalTarget,
  signal: NewSignal,
  by: ChangeContext,
): Script<Signalled> {
  const known = yield* takenBefore(signal)
  if (known !== null) return known
  const execution = yield* holdTarget(target)
  // The same one, sent twice at once, may have been taken while this one waited for the row; for another execution its key
  // refuses it, and the script is run again.
  const meanwhile = yield* takenBefore(signal)
  if (meanwhile !== null) return meanwhile
  if (execution === null) throw typeof target === 'string' ? hasEnded(target) : nobodyHas(target)
  const id = text(execution.id)
  const wait = yield* row('SELECT * FROM @steps WHERE execution_id = ? AND name = ?', id, signal.name)
  yield* answerWait(execution, wait, signal, by)
  yield* writeAuditLog({
    at: by.now,
    actor: by.actor,
    origin: by.origin,
    action: 'execution.signal',
    subject: id,
    before: null,
    after: { name: signal.name, signal: signal.id },
  })
  return { executionId: id, taken: true }
}

function* takenBefore({ id }: NewSignal): Script<Signalled | null> {
  const known = yield* row('SELECT execution_id FROM @steps WHERE signal_id = ?', id)
  return known === null ? null : { executionId: text(known.execution_id), taken: false }
}

/** Null where it has ended. By a key it is whoever has the key once it is held: the one that was found may end meanwhile. */
function* holdTarget(target: SignalTarget): Script<Row | null> {
  if (typeof target === 'string') return yield* holdOpen(target)
  const job = yield* findJob(target.job)
  if (job === null) return null
  for (;;) {
    const found = yield* row(
      `SELECT id FROM @live_executions WHERE job_id = ? AND unique_key = ? AND ${isUnfinished} ORDER BY seq LIMIT 1`,
      job.id,
      target.key,
    )
    if (found === null) return null
    const held = yield* holdOpen(text(found.id))
    if (held !== null) return held
  }
}

function* holdOpen(reference: string): Script<Row | null> {
  const { id, cause, jobId } = yield* readExecution(reference)
  yield* holdLanes(cause === 'enqueue' ? [] : [jobId])
  return yield* row(`SELECT * FROM @live_executions WHERE id = ? AND ${isUnfinished} FOR UPDATE`, id)
}

/** The execution is held; `wait` is null where it has not begun to wait. */
export function* answerWait(
  execution: Row,
  wait: Row | null,
  signal: NewSignal,
  by: ChangeContext,
): Script<void> {
  yield* answer(text(execution.id), wait, signal, by)
  if (wait !== null && wait.rest_fence === execution.fence) yield* wake(execution, by.now)
}

function* answer(
  id: string,
  wait: Row | null,
  signal: NewSignal,
  { now, actor }: ChangeContext,
): Script<void> {
  const decided = {
    decided_at: now,
    outcome: 'signalled',
    result: signal.payload,
    signal_id: signal.id,
    signalled_by: actor,
  }
  if (wait === null) {
    const kept = { execution_id: id, name: signal.name, kind: 'wait', fence: null, attempt: null, tries: 0 }
    return yield* insertSteps([{ ...kept, begun_at: now, ends_at: null, ...decided }])
  }
  const answered = yield* run(
    `UPDATE @steps SET decided_at = ?, outcome = ?, result = ?, signal_id = ?, signalled_by = ?
     WHERE execution_id = ? AND name = ? AND kind = 'wait' AND decided_at IS NULL`,
    ...Object.values(decided),
    id,
    signal.name,
  )
  if (answered === 0) throw isDecided(id, signal.name, wait)
}

/** It is ready now; of the chain, as soon as its turn comes. */
function* wake(execution: Row, now: number): Script<void> {
  const id = text(execution.id)
  yield* run(
    `UPDATE @live_executions SET ready_at = ? WHERE id = ? AND (state = 'retrying' OR state = 'blocked')`,
    now,
    id,
  )
  if (execution.state !== 'blocked') return
  const job = yield* row('SELECT * FROM @jobs WHERE id = ?', text(execution.job_id))
  if (job !== null) yield* settleLane(jobFrom(job), now)
}

function hasEnded(id: string): EvertickError {
  return new EvertickError(
    'invalid_transition',
    `Execution ${id} has ended: no signal reaches it any more.`,
    {
      next: 'Look at it with `evertick executions show`, or run it again.',
    },
  )
}

function nobodyHas({ job, key }: Exclude<SignalTarget, string>): EvertickError {
  return new EvertickError(
    'execution_not_found',
    `Job "${job}" has no unfinished execution with the key "${key}".`,
    { next: 'Enqueue it with `unique`, or signal an execution by its id.' },
  )
}

function isDecided(id: string, name: string, { kind, outcome }: Row): EvertickError {
  const was = {
    signalled: 'has had its signal',
    timed_out: 'has timed out',
  }[text(outcome ?? '')]
  return new EvertickError(
    'invalid_transition',
    kind === 'wait'
      ? `The wait "${name}" of execution ${id} ${was ?? 'is over'}.`
      : `"${name}" is a ${text(kind)} of execution ${id}, not a wait.`,
    { next: 'Its memo stands: nothing was changed. `evertick executions show` lists its waits.' },
  )
}
