/**
 * What a look has decided, written by whoever leads: alerts, and the pauses that their rules ask for, in one transaction.
 * Jobs are held before alerts, and the lead last, as in the accounts of ticks.
 */
import type { Alert } from '../../../core/alert/alert.ts'
import { alertSentence } from '../../../core/alert/alert-words.ts'
import type { AlertChange, ChangeAlerts, ChangedAlerts, PausedByRule } from '../../store.ts'
import { changeEntry, changeHeld } from '../jobs/change-job.ts'
import { lockJob } from '../jobs/lock-job.ts'
import { evaluates } from '../jobs/turn.ts'
import { recordChange } from '../notices/tell-changes.ts'
import { text } from '../runtime/rows.ts'
import { insertAll, row, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { leadText } from '../ticks/account-ticks.ts'
import { alertColumns, alertRow, newAlert, openKey } from './alert-rows.ts'

/** The fence refused at the end: all of it is rolled back. */
export class WatchLost extends Error {
  readonly result: ChangedAlerts = { led: false, opened: [], resolved: [], paused: [] }
}

export function* changeAlerts(
  { leader, now, changes }: ChangeAlerts,
  context: ScriptContext,
): Script<ChangedAlerts> {
  if ((yield* row(leadText, leader.holder, leader.termId)) === null) throw new WatchLost()
  const paused = yield* act(changes, now, context)
  const made = yield* insertNew(changes, now, context)
  const known = changes.flatMap(({ step, alert }) => (alert === null ? [] : [{ step, alert }]))
  const of = (wanted: AlertChange['step']) =>
    known.filter(({ step }) => step === wanted).map(({ alert }) => alert)
  const [opened, resolved] = [of('open'), of('resolve')]
  yield* write(
    `UPDATE @alerts SET opened_at = ?, untold = 'opened', untold_at = ? WHERE opened_at IS NULL AND id IN ?*`,
    [now, now],
    opened,
  )
  yield* write('DELETE FROM @alerts WHERE opened_at IS NULL AND id IN ?*', [], of('forget'))
  yield* write(
    `UPDATE @alerts SET untold = 'repeated', untold_at = ? WHERE untold IS NULL AND acknowledged_at IS NULL
       AND (snoozed_until IS NULL OR snoozed_until <= ?) AND open_key IS NOT NULL AND id IN ?*`,
    [now, now],
    of('repeat'),
  )
  // What nobody was told of yet is told as one: it was open, and is resolved.
  yield* write(
    `UPDATE @alerts SET resolved_at = ?, open_key = NULL, untold_at = CASE WHEN untold = 'opened' THEN untold_at ELSE ? END,
       untold = CASE WHEN untold = 'opened' THEN 'opened' ELSE 'resolved' END WHERE open_key IS NOT NULL AND id IN ?*`,
    [now, now],
    resolved,
  )
  // Last, so that a renewal waits for no more than the commit, and a new leader for all of it.
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null) throw new WatchLost()
  return {
    led: true,
    opened: [...made, ...opened.map((alert) => ({ ...alert, openedAt: now }))],
    resolved: resolved.map((alert) => ({ ...alert, resolvedAt: now })),
    paused,
  }
}

function* write(statement: string, params: readonly number[], alerts: readonly Alert[]): Script<void> {
  if (alerts.length === 0) return
  yield* run(
    statement,
    ...params,
    alerts.map(({ id }) => id),
  )
}

/** Those that are open. One that somebody has made meanwhile is left alone; of two at once, the key refuses the second. */
function* insertNew(
  changes: readonly AlertChange[],
  now: number,
  context: ScriptContext,
): Script<readonly Alert[]> {
  const fresh = changes.filter(({ alert, step }) => alert === null && (step === 'open' || step === 'await'))
  if (fresh.length === 0) return []
  const keys = fresh.map(({ rule, fact }) => openKey(rule?.name ?? '', fact?.subject ?? ''))
  const held = yield* rows('SELECT open_key FROM @alerts WHERE open_key IN ?*', keys)
  const taken = new Set(held.map(({ open_key }) => text(open_key)))
  const alerts = fresh.flatMap(({ rule, fact, step, acts }) => {
    if (rule === null || fact === null || taken.has(openKey(rule.name, fact.subject))) return []
    const alert = newAlert(rule, fact, context.newId(now), step === 'open', now)
    return [{ ...alert, actedMark: acts ? fact.mark : null }]
  })
  yield* insertAll('alerts', alertColumns, alerts.map(alertRow))
  return alerts.filter(({ openedAt }) => openedAt !== null)
}

/** In the order of the jobs' ids, like everybody who holds several. Each is decided on once, whatever its job's state. */
function* act(
  changes: readonly AlertChange[],
  now: number,
  context: ScriptContext,
): Script<readonly PausedByRule[]> {
  const paused: PausedByRule[] = []
  const acting = changes.filter(({ acts, fact }) => acts && fact !== null)
  for (const change of acting.toSorted((a, b) => ((a.fact?.jobId ?? '') < (b.fact?.jobId ?? '') ? -1 : 1))) {
    const done = yield* pauseJob(change, now, context)
    if (done !== null) paused.push(done)
  }
  for (const { alert, fact } of acting) {
    if (alert === null) continue
    const mark = fact?.mark ?? ''
    yield* run('UPDATE @alerts SET acted_mark = ? WHERE id = ? AND open_key IS NOT NULL', mark, alert.id)
  }
  return paused
}

/** Only what is active and has a schedule: the pause of a person stays as it is, and what has no ticks would not be held. */
function* pauseJob(
  { rule, fact }: AlertChange,
  now: number,
  context: ScriptContext,
): Script<PausedByRule | null> {
  if (rule === null || rule.action === null || fact === null || fact.jobId === null) return null
  const job = yield* lockJob(fact.jobId)
  if (job === null || job.state !== 'active' || job.spec.schedule === null || !evaluates(job)) return null
  const { pauseMs } = rule.action
  const reason = alertSentence({ kind: rule.kind, name: job.name, value: fact.value }, now)
  const until = pauseMs === null ? {} : { until: now + pauseMs }
  const change = { kind: 'pause', reason, ...until } as const
  const by = { now, actor: `alert:${rule.name}` }
  const changed = yield* changeHeld(job, change, by, context)
  yield* recordChange({ entry: changeEntry(job, changed, change, by), job: changed })
  return { rule: rule.name, job: job.name, reason }
}
