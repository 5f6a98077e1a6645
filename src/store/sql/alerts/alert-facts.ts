/**
 * What the rules of jobs find true: one statement for each rule, never one for each job. What a job's health says is asked
 * of `job-health.ts`, so that there is one notion of late, and one of what nobody can run.
 */
import type { AlertFact } from '../../../core/alert/alert.ts'
import type { AlertRule, RuleOf } from '../../../core/alert/alert-rule.ts'
import { timestamp } from '../cluster/leadership.ts'
import { healthCondition } from '../jobs/job-health.ts'
import { noWebhook, webhookRange } from '../notices/audience.ts'
import { number, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { type Param, type Row, rows, type Script } from '../runtime/script.ts'
import { seqAround } from '../runtime/seq-at.ts'
import { clusterFacts } from './cluster-facts.ts'
import { ofRuleJobs } from './rule-jobs.ts'

/** A look takes no more than this of one rule. */
export const mostFacts = 20_000

/** Ends of more executions than this are not summed up: the newest say enough. */
const mostSummed = 100_000

export function* factsOf(rule: AlertRule, now: number): Script<AlertFact[]> {
  switch (rule.kind) {
    case 'failing':
      return yield* jobFacts(
        rule,
        'SELECT j.id, j.name, u.failures AS value, u.execution_id AS mark FROM @unproven u JOIN @jobs j ON j.id = u.job_id',
        `u.failures >= ? AND j.state <> 'cancelled'`,
        [rule.params.runs],
      )
    case 'late': {
      const { text, params } = healthCondition('late', true, now - rule.params.overMs)
      return yield* jobFacts(rule, 'SELECT j.id, j.name, NULL AS value FROM @jobs j', text, params)
    }
    case 'no_runner': {
      const { text, params } = healthCondition('disabled', true, now)
      return yield* jobFacts(rule, 'SELECT j.id, j.name, NULL AS value FROM @jobs j', text, params)
    }
    case 'missed':
      return yield* jobFacts(
        rule,
        `SELECT j.id, j.name, m.n AS value FROM (
           SELECT job_name, sum(count) AS n FROM @missed_ticks WHERE account = 'skipped' AND term_id IN (
             SELECT l.id FROM @scheduler_leader_log l WHERE l.start_time >= ?)
           GROUP BY job_name) m JOIN @jobs j ON j.name = m.job_name`,
        'm.n >= ?',
        [timestamp(now - rule.params.withinMs), rule.params.ticks],
      )
    case 'silent':
      return yield* silentJobs(rule, now)
    case 'waiting':
      return yield* jobFacts(
        rule,
        `SELECT j.id, j.name, w.since_at AS value FROM (
           SELECT e.job_id, min(e.ready_at) AS since_at FROM @live_executions e
           WHERE e.state IN ('pending', 'retrying') AND e.ready_at < ? GROUP BY e.job_id) w
         JOIN @jobs j ON j.id = w.job_id`,
        `j.state NOT IN ('paused', 'cancelled')`,
        [now - rule.params.overMs],
      )
    case 'expired_leases':
      return yield* jobFacts(
        rule,
        `SELECT j.id, j.name, x.n AS value FROM (
           SELECT e.job_id, count(*) AS n FROM @attempts a JOIN @job_executions e ON e.id = a.execution_id
           WHERE a.outcome = 'crashed' AND a.error LIKE '%lease_expired%' AND a.finished_at >= ?
             AND a.seq > (SELECT COALESCE(max(b.seq), 0) - ${mostSummed} FROM @attempts b)
           GROUP BY e.job_id) x JOIN @jobs j ON j.id = x.job_id`,
        'x.n >= ?',
        [now - rule.params.withinMs, rule.params.leases],
      )
    case 'success_rate':
      return yield* tooFewSuccesses(rule, now)
    case 'leader_gap':
    case 'cursor_lag':
    case 'queue_depth':
    case 'queue_age':
      return yield* clusterFacts(rule, now)
  }
}

function* jobFacts(
  rule: AlertRule,
  from: string,
  where: string,
  params: readonly Param[],
): Script<AlertFact[]> {
  const jobs = ofRuleJobs(rule)
  const found = yield* rows(
    `${from} WHERE j.deleted_at IS NULL AND ${where}${jobs.text} ORDER BY j.id LIMIT ?`,
    ...params,
    ...jobs.params,
    mostFacts + 1,
  )
  return found.map(jobFact)
}

function jobFact(found: Row): AlertFact {
  return {
    subject: text(found.id),
    jobId: text(found.id),
    name: text(found.name),
    value: optionalNumber(found.value),
    mark: optionalText(found.mark) ?? '',
  }
}

/**
 * The last run by its place in the history: the index of a job's history has it first where the job does well. Where only
 * newer failures are kept, the ledger knows until when it did: an hour that is packed may have a success.
 * Webhooks are silent while all is well.
 */
function* silentJobs(rule: RuleOf<'silent'>, now: number): Script<AlertFact[]> {
  const { withinMs, of } = rule.params
  const ends = of === 'success' ? `('completed')` : `('completed', 'failed')`
  const jobs = ofRuleJobs(rule)
  const found = yield* rows(
    `SELECT * FROM (
       SELECT j.id, j.name, COALESCE((
         SELECT e.finished_at FROM @finished_executions e WHERE e.job_id = j.id AND e.state IN ${ends}
         ORDER BY e.seq DESC LIMIT 1), (
         SELECT r.to_at FROM @tick_ranges r WHERE r.job_id = j.id AND (r.outcome IN ${ends} OR r.account = 'mixed')
         ORDER BY r.from_at DESC LIMIT 1)) AS value
       FROM @jobs j WHERE j.deleted_at IS NULL AND j.state = 'active' AND j.created_at < ?
         AND ${noWebhook('j.name')}${jobs.text}) s
     WHERE s.value IS NULL OR s.value < ? ORDER BY s.id LIMIT ?`,
    now - withinMs,
    ...webhookRange,
    ...jobs.params,
    now - withinMs,
    mostFacts + 1,
  )
  return found.map(jobFact)
}

/** Of what was made and has ended within the span. The share is counted here: no engine divides like another. */
function* tooFewSuccesses(rule: RuleOf<'success_rate'>, now: number): Script<AlertFact[]> {
  const { below, runs, withinMs } = rule.params
  const { surelyBelow } = yield* seqAround(now - withinMs)
  const jobs = ofRuleJobs(rule)
  const found = yield* rows(
    `SELECT j.id, j.name, r.good, r.n FROM (
       SELECT e.job_id, count(*) AS n, sum(CASE WHEN e.state = 'completed' THEN 1 ELSE 0 END) AS good
       FROM @finished_executions e WHERE e.seq >= ? AND e.seq > (SELECT max(m.seq) - ${mostSummed} FROM @job_executions m)
         AND e.state IN ('completed', 'failed') AND e.finished_at >= ?
       GROUP BY e.job_id) r
     JOIN @jobs j ON j.id = r.job_id WHERE j.deleted_at IS NULL AND r.n >= ?${jobs.text} ORDER BY j.id LIMIT ?`,
    surelyBelow,
    now - withinMs,
    runs,
    ...jobs.params,
    mostFacts + 1,
  )
  return found
    .map((counted) => ({ counted, share: number(counted.good) / number(counted.n) }))
    .filter(({ share }) => share < below)
    .map(({ counted, share }) => ({ ...jobFact(counted), value: Math.round(share * 1_000) }))
}
