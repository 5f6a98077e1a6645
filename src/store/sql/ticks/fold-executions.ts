/**
 * Folds executions that are no longer kept: what became of a tick goes into the ledger's rows, the rest into totals per
 * day, in the transaction that deletes them.
 */
import {
  mayGo,
  mostExecutions,
  type NewestExecutions,
  wholeFamilies,
} from '../../../core/history/retention.ts'
import type { Job } from '../../../core/job/job.ts'
import { keptCancelReason, type LedgerRow } from '../../../core/tick/ledger-row.ts'
import type { Archive } from '../../store.ts'
import { accountOf, finalStateOf, number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { isFinal } from '../work/states.ts'
import { archiveExecutions } from './archive-executions.ts'
import { insertFolded } from './ledger-rows.ts'
import { type LedgerSpan, ledgerSpans } from './ledger-spans.ts'

const dayMs = 86_400_000

/** Few at first: mostly there is nothing, or what five minutes have brought. */
const firstPage = 64
const growth = 8
const longestPage = 4_096

export interface Ended {
  readonly id: string
  readonly seq: number
  readonly tickAt: number | null
  readonly written: Row
  readonly retryOf: string | null
  readonly finishedAt: number
  readonly state: ReturnType<typeof finalStateOf>
}

/** By the job's own retention, or by age alone. */
export type Keeping = 'retention' | 'age'

/** The executions that may go, oldest first; about `most` of them. */
export function* findGoing(job: Job, keeping: Keeping, most: number, now: number): Script<Ended[]> {
  return yield* withFamilies(job, yield* findOld(job, keeping, most, now))
}

/** The same, with those that a retry holds back. */
export function* findOld(job: Job, keeping: Keeping, most: number, now: number): Script<Ended[]> {
  const newest = yield* newestOf(job, keeping)
  if (newest === null) return []
  const going: Ended[] = []
  const below = Math.min(job.accountedUntil, now)
  let size = firstPage
  for (let after = -1; going.length < most; size = Math.min(size * growth, longestPage)) {
    const page = (yield* rows(endedText, job.id, after, newest.kept, size)).map(endedFrom)
    // Ticks accounted ahead may still be taken back.
    const past = page.filter(({ tickAt }) => tickAt === null || tickAt < below)
    going.push(...past.filter((ended) => mayGo(job.spec.retention, ended, newest, now)))
    const old = page.some(
      ({ seq, finishedAt }) => finishedAt < now - job.spec.retention.ageMs || seq < newest.most,
    )
    if (page.length < size || !old) break
    after = page.at(-1)?.seq ?? after
  }
  return going
}

const endedText = `SELECT id, seq, tick_at, account, state, cancel_reason, retry_of, finished_at FROM @finished_executions
  WHERE job_id = ? AND seq > ? AND seq < ? AND ${isFinal} ORDER BY seq LIMIT ?`
const nthText = 'SELECT seq FROM @job_executions WHERE job_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?'
const nthFailedText = `SELECT seq FROM @finished_executions WHERE job_id = ? AND state = 'failed'
  ORDER BY seq DESC LIMIT 1 OFFSET ?`

function endedFrom(written: Row): Ended {
  return {
    id: text(written.id),
    seq: number(written.seq),
    tickAt: optionalNumber(written.tick_at),
    retryOf: optionalText(written.retry_of),
    finishedAt: number(written.finished_at),
    state: finalStateOf(written.state),
    written,
  }
}

/** Null where nothing can go: there are too few. */
function* newestOf({ id, spec: { retention } }: Job, keeping: Keeping): Script<NewestExecutions | null> {
  const nth = yield* row(nthText, id, keeping === 'age' ? 0 : retention.executions - 1)
  if (nth === null) return null
  const kept = number(nth.seq)
  if (keeping === 'age') return { kept, most: 0, mostFailed: 0 }
  const most = mostExecutions(retention)
  const beyond = yield* row(nthText, id, most - 1)
  const failed = retention.failedMs === null ? null : yield* row(nthFailedText, id, most - 1)
  return { kept, most: number(beyond?.seq ?? 0), mostFailed: number(failed?.seq ?? 0) }
}

function* withFamilies(job: Job, going: readonly Ended[]): Script<Ended[]> {
  if (going.length === 0) return []
  const retries = yield* rows(
    'SELECT id, retry_of FROM @job_executions WHERE job_id = ? AND retry_of IS NOT NULL',
    job.id,
  )
  if (retries.length === 0) return [...going]
  const related = retries.map(({ id, retry_of }) => ({ id: text(id), retryOf: optionalText(retry_of) }))
  const goes = new Set(going.map(({ id }) => id))
  const asked = related.flatMap(({ retryOf }) => (retryOf === null || goes.has(retryOf) ? [] : [retryOf]))
  const others = yield* rows('SELECT id FROM @job_executions WHERE id IN ?*', asked)
  return wholeFamilies(going, related, new Set(others.map(({ id }) => text(id))))
}

/** The caller holds the job's row, and has found them since. */
export function* foldExecutions(
  job: Job,
  going: readonly Ended[],
  now: number,
  archive?: Archive,
): Script<void> {
  if (going.length === 0) return
  const deleted = yield* deleteExecutions(
    going.map(({ id }) => id),
    archive,
  )
  if (deleted !== going.length) throw new Error(`An execution of job ${job.name} changed while it was held.`)
  // What lies before the ledger is in its totals already.
  const ticks = going
    .flatMap((ended) => (ended.tickAt === null ? [] : [{ ...ended, tickAt: ended.tickAt }]))
    .filter(({ tickAt }) => tickAt >= job.ledgerFrom)
    .sort((a, b) => a.tickAt - b.tickAt)
  const spans = yield* ledgerSpans(job, ticks[0]?.tickAt ?? job.accountedUntil)
  yield* insertFolded(
    job,
    ticks.map((ended) => rowOf(ended, spans)),
    now,
  )
  yield* addDays(
    job,
    going.filter(({ tickAt }) => tickAt === null),
  )
  yield* run(
    'DELETE FROM @day_totals WHERE job_id = ? AND day_at < ?',
    job.id,
    now - job.spec.retention.ledgerMs - dayMs,
  )
}

/** By their ids: for an IN (SELECT …) MariaDB would read every log and attempt that there is. */
export function* deleteExecutions(ids: readonly string[], archive?: Archive): Script<number> {
  if (ids.length === 0) return 0
  if (archive !== undefined) yield* archiveExecutions(ids, archive)
  yield* run('DELETE FROM @execution_logs WHERE execution_id IN ?*', ids)
  yield* run('DELETE FROM @attempts WHERE execution_id IN ?*', ids)
  yield* run('DELETE FROM @steps WHERE execution_id IN ?*', ids)
  yield* run('DELETE FROM @usages WHERE execution_id IN ?*', ids)
  return yield* run(`DELETE FROM @finished_executions WHERE id IN ?* AND ${isFinal}`, ids)
}

function rowOf(
  { tickAt, state, written }: Ended & { tickAt: number },
  spans: readonly LedgerSpan[],
): LedgerRow {
  const span = spans.findLast(({ from }) => from <= tickAt) ?? spans[0]
  const kind = {
    account: accountOf(written.account),
    reason: null,
    outcome: state,
    cancelReason: state === 'cancelled' ? keptCancelReason(text(written.cancel_reason ?? '')) : null,
  }
  return {
    from: tickAt,
    to: tickAt,
    runs: [{ kind, count: 1 }],
    into: null,
    executionId: null,
    revision: span?.revision ?? 1,
    tzVersion: span?.tzVersion ?? '',
  }
}

/** Triggers, backfills, enqueues and retries have no tick: they are counted by the day on which they ended. */
function* addDays(job: Job, ended: readonly Ended[]): Script<void> {
  const days = Map.groupBy(
    ended,
    ({ finishedAt, state }) => `${Math.floor(finishedAt / dayMs) * dayMs} ${state}`,
  )
  for (const [key, all] of days) {
    const [day = '', state = ''] = key.split(' ')
    const values = [all.length, job.id, Number(day), state]
    const added = yield* run(
      'UPDATE @day_totals SET count = count + ? WHERE job_id = ? AND day_at = ? AND state = ?',
      ...values,
    )
    if (added === 0) {
      yield* run('INSERT INTO @day_totals (count, job_id, day_at, state) VALUES (?, ?, ?, ?)', ...values)
    }
  }
}
