/** A job's status is derived in TypeScript for a job that was read, and in SQL for lists and counts: both say the same. */
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { type ExecutionState, executionStates } from '../../src/core/execution/execution-state.ts'
import { jobStates } from '../../src/core/job/job-state.ts'
import { jobStatus, jobStatuses, type StatusGrounds } from '../../src/core/job/job-status.ts'
import { statusConditions, statusText } from '../../src/store/sql/jobs/match-jobs.ts'

/** As they are stored: what rests is `retrying` there. */
const stored = executionStates.filter((state) => state !== 'sleeping' && state !== 'waiting')

/** The last execution is the newest, unless that only waits for a later instant: then it may be any. */
const executions: readonly Pick<StatusGrounds, 'last' | 'newest'>[] = [
  { last: null, newest: null },
  ...stored.flatMap((newest) => lastBefore(newest).map((last) => ({ last, newest }))),
]

function lastBefore(newest: ExecutionState): readonly ExecutionState[] {
  return newest === 'pending' || newest === 'blocked' ? stored : [newest]
}

const combinations: readonly StatusGrounds[] = jobStates.flatMap((state) =>
  [true, false].flatMap((hasSchedule) => executions.map((seen) => ({ state, hasSchedule, ...seen }))),
)

/** One job as the statements of the lists see it. */
const jobText = 'FROM (SELECT ? AS state, ? AS schedule_kind, ? AS last_running, ? AS newest_state) j'

function openDatabase(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  onTestFinished(() => database.close())
  return database
}

function paramsOf({ state, hasSchedule, last, newest }: StatusGrounds) {
  return [state, hasSchedule ? 'cron' : null, last, newest]
}

test('every combination has the same status in a view, in the order of a list and in a count', () => {
  const statement = openDatabase().prepare(`SELECT ${statusText} AS status ${jobText}`)
  for (const job of combinations) {
    expect({ ...job, ...statement.get(...paramsOf(job)) }).toEqual({ ...job, status: jobStatus(job) })
  }
})

test('every combination matches the filter of its status, and of no other', () => {
  const columns = jobStatuses.map((status) => `${statusConditions[status]} AS ${status}`)
  const statement = openDatabase().prepare(`SELECT ${columns.join(', ')} ${jobText}`)
  for (const job of combinations) {
    const matched = Object.entries(statement.get(...paramsOf(job)) ?? {}).flatMap(([status, matches]) =>
      matches === 0 ? [] : [status],
    )
    expect({ ...job, matched }).toEqual({ ...job, matched: [jobStatus(job)] })
  }
})

test('each status is that of some combination', () => {
  expect(new Set(combinations.map(jobStatus))).toEqual(new Set(jobStatuses))
})
