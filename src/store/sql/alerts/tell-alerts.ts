/**
 * What a rule has to tell is marked as told, all of one tiding at once, and goes into the outbox as one notice, in one
 * transaction: told once, over failovers, and ten thousand jobs that fail at once are one message. A webhook that asks for
 * certain jobs has a notice of its own, about these.
 */
import type { Alert } from '../../../core/alert/alert.ts'
import { newsOf } from '../../../core/alert/news.ts'
import { listedAlerts } from '../../../core/alert/telling.ts'
import type { TellAlerts, ToldAlerts } from '../../store.ts'
import { choosyWebhooks } from '../notices/audience.ts'
import { type Notice, tell } from '../notices/tell.ts'
import { text } from '../runtime/rows.ts'
import { row, rows, run, type Script } from '../runtime/script.ts'
import { leadText } from '../ticks/account-ticks.ts'
import { alertFrom } from './alert-rows.ts'

const untoldText = 'SELECT * FROM @alerts WHERE untold = ? AND rule = ? ORDER BY id'

export function* tellAlerts(request: TellAlerts): Script<ToldAlerts> {
  const { leader, now, rule, tiding } = request
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null)
    return { led: false, count: 0 }
  const first = (yield* rows(`${untoldText} LIMIT ?`, tiding, rule, listedAlerts)).map(alertFrom)
  // One alert is about one job: everybody who asks for that job hears of it anyhow.
  const apart = first.length > 1 ? yield* noticesApart(request) : []
  const count = yield* run(
    'UPDATE @alerts SET untold = NULL, untold_at = NULL, told_at = ? WHERE untold = ? AND rule = ?',
    now,
    tiding,
    rule,
  )
  if (count > 0) yield* tell([noticeOf(request, first, count), ...apart])
  return { led: true, count }
}

/** `first`: as many of them as a message lists. */
function noticeOf({ now, rule, tiding }: TellAlerts, first: readonly Alert[], count: number): Notice {
  const [only] = count === 1 ? first : []
  const body = newsOf(first, count, now)
  return { type: `alert.${tiding}`, at: now, jobId: only?.jobId ?? null, subject: rule, body }
}

/** For each webhook that asks for certain jobs, what there is to tell of these. */
function* noticesApart(request: TellAlerts): Script<Notice[]> {
  const webhooks = yield* choosyWebhooks(`alert.${request.tiding}`)
  if (webhooks.length === 0) return []
  const alerts = (yield* rows(untoldText, request.tiding, request.rule)).map(alertFrom)
  const tags = yield* tagsAmong(webhooks.flatMap((webhook) => webhook.tags))
  const told = alerts.flatMap((alert) => {
    const { jobId, name } = alert
    return jobId === null ? [] : [{ alert, job: { name, tags: tags.get(jobId) ?? [] } }]
  })
  return webhooks.flatMap(({ id, hears }) => {
    const own = told.filter(({ job }) => hears({ type: `alert.${request.tiding}`, job }))
    if (own.length === 0) return []
    const first = own.slice(0, listedAlerts).map(({ alert }) => alert)
    return [{ ...noticeOf(request, first, own.length), to: id }]
  })
}

/** Of each job that has some of them. */
function* tagsAmong(wanted: readonly string[]): Script<ReadonlyMap<string, readonly string[]>> {
  if (wanted.length === 0) return new Map()
  const found = yield* rows('SELECT job_id, tag FROM @job_tags WHERE tag IN ?*', wanted)
  const byJob = Map.groupBy(found, ({ job_id }) => text(job_id))
  return new Map([...byJob].map(([id, tagged]) => [id, tagged.map(({ tag }) => text(tag))]))
}
