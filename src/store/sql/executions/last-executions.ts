/**
 * The last execution of each job: the newest that does more than wait for a later instant, since a tick accounted ahead
 * has told nothing yet. Without an index of its own, which every start and end would have to write: the newest few of the
 * job's history are looked at, one after the other. Behind more that wait, such as many put off by `runAt`, nobody looks:
 * there the newest counts. The lists ask for the same in SQL, one job at a time; a test holds the two against each other.
 */
import type { LastExecution } from '../../store.ts'
import { newestOfEach } from '../jobs/newest-of-each.ts'
import { executionFrom, executionStateOf, number, optionalNumber } from '../runtime/rows.ts'
import { type Param, type Row, rows, type Script } from '../runtime/script.ts'
import { restText } from '../steps/step-rows.ts'

/** Ticks are accounted ahead by a second or two, and are seldom closer than a second. */
const lookedAt = 8

const newestText = `SELECT job_id, seq, state, ready_at, started_at FROM @job_executions
  WHERE job_id = ? ORDER BY seq DESC LIMIT ${lookedAt}`

/** A handful of statements for any number of jobs: first which execution is the last of each, then those rows. */
export function* lastExecutions(jobIds: readonly string[], now: number): Script<LastExecution[]> {
  if (jobIds.length === 0) return []
  const marks = new Map<number, Omit<LastExecution, 'execution'>>()
  for (const newest of Map.groupBy(
    yield* newestOfEach(jobIds, newestText),
    ({ job_id }) => job_id,
  ).values()) {
    const ordered = newest.toSorted((a, b) => number(b.seq) - number(a.seq))
    const last = ordered.find((row) => !waits(row, now)) ?? ordered[0]
    const began = ordered.find(({ started_at }) => optionalNumber(started_at) !== null)
    marks.set(number(last?.seq), {
      newestState: executionStateOf(ordered[0]?.state),
      startedAt: optionalNumber(began?.started_at),
    })
  }
  const executions = yield* rows(
    `SELECT e.*, j.name AS job_name, ${restText} AS rests_for
     FROM @job_executions e JOIN @jobs j ON j.id = e.job_id WHERE e.seq IN ?*`,
    [...marks.keys()],
  )
  return executions.flatMap((written) => {
    const mark = marks.get(number(written.seq))
    return mark === undefined ? [] : [{ ...mark, execution: executionFrom(written) }]
  })
}

function waits({ state, ready_at, started_at }: Row, now: number): boolean {
  return (
    (state === 'pending' || state === 'blocked') &&
    optionalNumber(started_at) === null &&
    number(ready_at) > now
  )
}

/** In the words of `waits`. */
const waitsText = `(e.state = 'pending' OR e.state = 'blocked') AND e.started_at IS NULL AND e.ready_at > ?`

export type LastColumn = keyof typeof columnTexts

/** Columns of a SELECT from `@jobs j`. Each looks on only where the one before has said nothing. */
export function lastColumns(columns: readonly LastColumn[], now: number): { text: string; params: Param[] } {
  const texts = columns.map((column) => `${columnTexts[column]} AS ${column}`)
  const marks = texts.join('').split('?').length - 1
  return { text: texts.join(', '), params: Array.from({ length: marks }, () => now) }
}

function nth(value: string, offset: number): string {
  return `(SELECT ${value} FROM @job_executions e WHERE e.job_id = j.id ORDER BY e.seq DESC LIMIT 1 OFFSET ${offset})`
}

function firstOf(value: string, ...orElse: readonly string[]): string {
  const looks = Array.from({ length: lookedAt }, (_, offset) => nth(value, offset))
  return `COALESCE(${[...looks, ...orElse].join(', ')})`
}

const newestState = nth('e.state', 0)
const lastState = firstOf(`CASE WHEN ${waitsText} THEN NULL ELSE e.state END`, newestState)
/** Few run at any time, and an index has them: of all other jobs the last execution does not run, whatever it is. */
const hasRunning = `j.id IN (SELECT r.job_id FROM @live_executions r WHERE r.state = 'running' AND r.leased_until > 0)`

const columnTexts = {
  last_state: lastState,
  last_account: firstOf(
    `CASE WHEN ${waitsText} THEN NULL ELSE COALESCE(e.account, '') END`,
    nth('e.account', 0),
  ),
  last_run_at: firstOf('e.started_at'),
  /** The last state, where it may be `running`; else null. */
  last_running: `CASE WHEN ${hasRunning} THEN ${lastState} END`,
  /** Of jobs whose own row does not say their status; else null. */
  newest_state: `CASE WHEN j.state = 'completed' OR j.schedule_kind IS NULL THEN ${newestState} END`,
} as const
