/**
 * The health of jobs, in SQL: for a page of them, for a filter, and counted. `healthOf` of the core computes the same for
 * one job; a test compares the two. Nothing here reads a job's history: failures are in `unproven`, unstarted ticks in the
 * index of lanes, and jobs that no node can run are found by their handler.
 */
import type { HealthCounts, HealthState } from '../../../core/job/health.ts'
import type { JobHealth } from '../../store.ts'
import { currentLeader } from '../cluster/leadership.ts'
import { noWebhook, webhookRange } from '../notices/audience.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Param, row, rows, type Script } from '../runtime/script.ts'
import { isActive, isUntried } from '../work/states.ts'

/**
 * Ticks that nobody has tried: by the index of lanes, and by that of what is blocked. The sum keeps SQLite from the index
 * of ticks, by which it read every tick that a job ever had: 300 ms for a page of 100 jobs with 1,440 each.
 */
const untried = `tick_at + 0 IS NOT NULL AND ${isUntried}`
const pendingTicks = `cause <> 'enqueue' AND ${isActive} AND state = 'pending' AND ${untried}`
const blockedTicks = `state = 'blocked' AND cause IN ('schedule', 'catch_up') AND ${untried}`

/** The least that a job's `late_ms` can be, so that an index leaves out the rest. */
const soonest = '?::bigint - 60000'
const ownLimit = '?::bigint - (SELECT g.late_ms FROM @jobs g WHERE g.id = e.job_id)'

const lateTicks = (ticks: string) =>
  `SELECT e.job_id FROM @live_executions e WHERE ${ticks} AND ready_at < ${soonest} AND ready_at < ${ownLimit}`
const lateIds = `SELECT d.id FROM @jobs d WHERE d.next_due_at < ${soonest} AND d.state = 'active' AND d.next_due_at < ?::bigint - d.late_ms
  UNION ALL ${lateTicks(pendingTicks)} UNION ALL ${lateTicks(blockedTicks)}`

const orphaned = `j.state = 'active' AND j.handler NOT IN (SELECT h.handler FROM @node_handlers h)`
/** The same as ids, each part in the words of its partial index: an OR of both would read every job. */
const disabledIds = `SELECT r.id FROM @jobs r
    WHERE r.deleted_at IS NULL AND r.state <> 'active' AND r.state IN ('disabled', 'error')
  UNION ALL SELECT o.id FROM @jobs o
    WHERE o.deleted_at IS NULL AND o.state = 'active' AND o.handler NOT IN (SELECT h.handler FROM @node_handlers h)`
const unproven = (which: string) => `j.id IN (SELECT u.job_id FROM @unproven u WHERE u.failures ${which})`

interface Condition {
  readonly text: string
  readonly params: readonly Param[]
}

/** Jobs in a state of health, from `@jobs j`. Never null, so that it can be negated. */
export function healthCondition(state: HealthState, led: boolean, now: number): Condition {
  const disabled = led
    ? `(j.state IN ('disabled', 'error') OR ${orphaned})`
    : `j.state IN ('disabled', 'error')`
  const failing = `(j.state <> 'cancelled' AND ${unproven('> 0')})`
  const well = `NOT ${disabled} AND NOT ${failing}`
  // Without a leader, what is neither disabled nor failing is unknown; what is cancelled needs none.
  const known = led ? well : `j.state = 'cancelled'`
  const late = `(j.state <> 'cancelled' AND j.id IN (${lateIds}))`
  const times = Array.from({ length: late.split('?').length - 1 }, () => now)
  switch (state) {
    case 'disabled':
      return { text: led ? `(j.id IN (${disabledIds}))` : `(${disabled})`, params: [] }
    case 'failing':
      return { text: `(NOT ${disabled} AND ${failing})`, params: [] }
    case 'late':
      return led ? { text: `(${well} AND ${late})`, params: times } : none
    case 'never_ran':
      return { text: `(${known} AND NOT ${late} AND ${unproven('= 0')})`, params: times }
    case 'ok':
      return { text: `(${known} AND NOT ${late} AND NOT ${unproven('= 0')})`, params: times }
    case 'unknown':
      return led ? none : { text: `(${well} AND j.state <> 'cancelled')`, params: [] }
  }
}

const none: Condition = { text: '(1 = 0)', params: [] }

export function* isLed(now: number): Script<boolean> {
  return ((yield* currentLeader())?.expiresAt ?? 0) > now
}

/** What `healthOf` needs to know of each of these jobs. */
export function* readHealth(jobIds: readonly string[], now: number): Script<JobHealth[]> {
  if (jobIds.length === 0) return []
  const led = yield* isLed(now)
  const failed = yield* rows('SELECT * FROM @unproven WHERE job_id IN ?*', jobIds)
  const handled = yield* rows(
    'SELECT j.id FROM @jobs j WHERE j.id IN ?* AND j.handler IN (SELECT h.handler FROM @node_handlers h)',
    jobIds,
  )
  const waiting = new Map<string, number>()
  for (const ticks of [pendingTicks, blockedTicks]) {
    const unstarted = yield* rows(
      `SELECT job_id, min(ready_at) AS ready_at FROM @live_executions WHERE job_id IN ?* AND ${ticks} GROUP BY job_id`,
      jobIds,
    )
    for (const { job_id, ready_at } of unstarted) {
      const at = number(ready_at)
      waiting.set(text(job_id), Math.min(at, waiting.get(text(job_id)) ?? at))
    }
  }
  const unproven = new Map(failed.map((failure) => [text(failure.job_id), failure]))
  const canRun = new Set(handled.map(({ id }) => text(id)))
  return jobIds.map((jobId) => {
    const failure = unproven.get(jobId)
    return {
      jobId,
      led,
      hasHandler: canRun.has(jobId),
      failures: failure === undefined ? null : number(failure.failures),
      failedId: optionalText(failure?.execution_id),
      failedAt: optionalNumber(failure?.failed_at),
      unstartedSince: waiting.get(jobId) ?? null,
    }
  })
}

/** All jobs by health: those that are ok are what is left. */
export function* countHealth(now: number): Script<HealthCounts> {
  const led = yield* isLed(now)
  const count = function* (state: HealthState): Script<number> {
    const { text, params } = healthCondition(state, led, now)
    const counted = yield* row(
      `SELECT count(*) AS n FROM @jobs j WHERE j.deleted_at IS NULL AND ${noWebhook('j.name')} AND ${text}`,
      ...webhookRange,
      ...params,
    )
    return number(counted?.n)
  }
  const all = `SELECT count(*) AS n FROM @jobs WHERE deleted_at IS NULL AND ${noWebhook('name')}`
  const total = number((yield* row(all, ...webhookRange))?.n)
  const troubled = {
    late: yield* count('late'),
    failing: yield* count('failing'),
    disabled: yield* count('disabled'),
    never_ran: yield* count('never_ran'),
    unknown: yield* count('unknown'),
  }
  return { ok: total - Object.values(troubled).reduce((sum, n) => sum + n, 0), ...troubled }
}
