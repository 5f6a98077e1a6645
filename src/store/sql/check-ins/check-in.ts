/**
 * A check-in finds its tick, and is written down before its execution exists or with it. The row of the job is held: it
 * is also held by whoever makes an execution of it, so that this one either sees the execution or comes before it. Then the
 * execution, which sees the row.
 */
import { checkInTicks, checkInWait } from '../../../core/check-in/check-in.ts'
import { sequenceOfJob } from '../../../core/job/sequence.ts'
import type { CheckedIn, CheckInRequest } from '../../store.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { number, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, run, type Script } from '../runtime/script.ts'
import { answerWait } from '../steps/signal-execution.ts'
import { isUnfinished } from '../work/states.ts'

export function* checkIn(request: CheckInRequest): Script<CheckedIn | null> {
  const token = yield* row('SELECT job_id FROM @check_in_tokens WHERE hash = ?', request.hash)
  const job = token === null ? null : yield* lockJob(text(token.job_id))
  if (job === null) return null
  const { name, spec, state, accountedUntil } = job
  const { handler } = spec
  if (handler.type !== 'check_in') return { job: name, kind: 'unused' }
  const ticks = sequenceOfJob(job)
  let answer: CheckedIn = { job: name, kind: 'not_due', nextAt: ticks.next(request.now) }
  const begun = request.word === 'start' ? [] : yield* begunTick(job.id, request.now - handler.withinMs)
  for (const tickAt of [...begun, ...checkInTicks(ticks, handler, request.now)]) {
    const known = yield* row('SELECT * FROM @check_ins WHERE job_id = ? AND tick_at = ?', job.id, tickAt)
    answer = { job: name, kind: 'again', tickAt }
    if (known !== null && (known.ended_at !== null || request.word === 'start')) continue
    const execution = yield* row(executionText, job.id, tickAt)
    if (execution === null && tickAt < accountedUntil) {
      answer = { job: name, kind: 'too_late', tickAt }
      continue
    }
    if (execution === null && state !== 'active') return { job: name, kind: 'inactive', state }
    const wait = execution === null ? null : yield* row(waitText, text(execution.id), checkInWait)
    if (wait !== null && wait.decided_at !== null) {
      answer = { job: name, kind: 'too_late', tickAt }
      continue
    }
    yield* write(job.id, tickAt, known, request)
    if (execution !== null && request.word !== 'start') yield* wakeUp(execution, wait, request)
    return { job: name, kind: 'counted', tickAt }
  }
  return answer
}

/** What has said that it began, says that it ended, even if the next tick is due meanwhile. */
function* begunTick(jobId: string, after: number): Script<number[]> {
  const begun = yield* row(
    `SELECT tick_at FROM @check_ins WHERE job_id = ? AND tick_at >= ? AND ended_at IS NULL
     ORDER BY tick_at DESC LIMIT 1`,
    jobId,
    after,
  )
  return begun === null ? [] : [number(begun.tick_at)]
}

const executionText = `
  SELECT * FROM @live_executions WHERE job_id = ? AND tick_at = ? AND ${isUnfinished} FOR UPDATE`
const waitText = 'SELECT * FROM @steps WHERE execution_id = ? AND name = ?'

function* write(jobId: string, tickAt: number, known: Row | null, request: CheckInRequest): Script<void> {
  const { word, note, now } = request
  const said =
    word === 'start'
      ? { started_at: now, ended_at: null, outcome: null, note }
      : {
          started_at: known?.started_at ?? null,
          ended_at: now,
          outcome: word,
          note: note ?? known?.note ?? null,
        }
  if (known === null) return yield* insertRow('check_ins', { job_id: jobId, tick_at: tickAt, ...said })
  yield* run(
    'UPDATE @check_ins SET started_at = ?, ended_at = ?, outcome = ?, note = ? WHERE job_id = ? AND tick_at = ?',
    ...Object.values(said),
    jobId,
    tickAt,
  )
}

/** Its handler reads what was said. */
function* wakeUp(execution: Row, wait: Row | null, { id, now }: CheckInRequest): Script<void> {
  const signal = { id, name: checkInWait, payload: null }
  yield* answerWait(execution, wait, signal, { now, actor: 'check-in' })
}
