/**
 * What a rule has to tell is marked as told, all of one tiding at once, and goes into the outbox as one notice, in one
 * transaction: told once, over failovers, and ten thousand jobs that fail at once are one message.
 */
import { newsOf } from '../../../core/alert/news.ts'
import { listedAlerts } from '../../../core/alert/telling.ts'
import type { TellAlerts, ToldAlerts } from '../../store.ts'
import { tell } from '../notices/tell.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { leadText } from '../ticks/account-ticks.ts'
import { alertFrom } from './alert-rows.ts'

export function* tellAlerts({ leader, now, rule, tiding }: TellAlerts): Script<ToldAlerts> {
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null)
    return { led: false, count: 0 }
  const first = yield* rows(
    'SELECT * FROM @alerts WHERE untold = ? AND rule = ? ORDER BY id LIMIT ?',
    tiding,
    rule,
    listedAlerts,
  )
  const count = yield* run(
    'UPDATE @alerts SET untold = NULL, untold_at = NULL, told_at = ? WHERE untold = ? AND rule = ?',
    now,
    tiding,
    rule,
  )
  if (count > 0) {
    const alerts = first.map(alertFrom)
    const [only] = count === 1 ? alerts : []
    const body = newsOf(alerts, count, now)
    yield* tell([{ type: `alert.${tiding}`, at: now, jobId: only?.jobId ?? null, subject: rule, body }])
  }
  return { led: true, count }
}
