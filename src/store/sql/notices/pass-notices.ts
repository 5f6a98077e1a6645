/**
 * From the outbox to the deliveries: for each notice and each webhook that hears of it one execution, and the notice goes,
 * in one transaction under the leader's fence. Killed anywhere, none is lost and none is delivered by two executions.
 */
import { type WebhookHandler, webhookKey } from '../../../core/job/handler.ts'
import { hears, linkOf, longestResult, type Message, type Told } from '../../../core/notice/message.ts'
import type { PassRequest, PassResult } from '../../store.ts'
import { enqueueColumns, startByRow } from '../jobs/job-columns.ts'
import { json, number, optionalText, specFrom, text } from '../runtime/rows.ts'
import { look, type Row, row, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'
import { leadText } from '../ticks/account-ticks.ts'
import { insertExecutions, type NewExecutionRow } from '../work/insert-execution.ts'
import { activeWebhooks, webhookFrom, webhookRange } from './audience.ts'
import { onlyTo } from './tell.ts'

const noticesText = 'SELECT * FROM @notices ORDER BY seq LIMIT ?'
const idsText = `SELECT id FROM @jobs WHERE ${activeWebhooks}`
/**
 * Held: one that is deleted meanwhile waits, and then cancels what was enqueued for it. By id alone, or MySQL might go by
 * the state, and hold every job.
 */
const webhooksText = `SELECT ${enqueueColumns}, spec FROM @jobs WHERE id IN ?* ORDER BY id FOR SHARE`
const jobsText = 'SELECT id, name, spec FROM @jobs WHERE id IN ?*'
const resultsText = 'SELECT id, result FROM @job_executions WHERE id IN ?*'

export function* passNotices(
  { leader, limit, now }: PassRequest,
  context: ScriptContext,
): Script<PassResult> {
  // The usual case costs this one look.
  const [first] = yield* look('SELECT seq FROM @notices LIMIT 1')
  if (first === undefined) return { led: true, passed: 0, deliveries: 0, more: false }
  if ((yield* row(`${leadText} FOR SHARE`, leader.holder, leader.termId)) === null) {
    return { led: false, passed: 0, deliveries: 0, more: false }
  }
  const notices = yield* rows(noticesText, limit)
  const webhooks = yield* listeners()
  const deliveries = webhooks.length === 0 ? [] : yield* deliveriesOf(notices, webhooks, now, context)
  yield* insertExecutions(deliveries)
  const gone = yield* run(
    'DELETE FROM @notices WHERE seq IN ?*',
    notices.map(({ seq }) => number(seq)),
  )
  if (gone !== notices.length) throw new Error(`Of ${notices.length} notices, ${gone} were still there.`)
  return { led: true, passed: notices.length, deliveries: deliveries.length, more: notices.length === limit }
}

interface Listener {
  readonly job: Row
  readonly handler: WebhookHandler
  readonly hears: (told: Told) => boolean
}

function* listeners(): Script<Listener[]> {
  const ids = yield* rows(idsText, ...webhookRange)
  if (ids.length === 0) return []
  const held = yield* rows(
    webhooksText,
    ids.map(({ id }) => text(id)),
  )
  return held.flatMap((job) => {
    const handler = webhookFrom(job)
    // It may have been paused or deleted since it was found.
    return handler === null || text(job.state) !== 'active' ? [] : [{ job, handler, hears: hears(handler) }]
  })
}

function* deliveriesOf(
  notices: readonly Row[],
  webhooks: readonly Listener[],
  now: number,
  { newId }: ScriptContext,
): Script<NewExecutionRow[]> {
  const jobs = yield* jobsOf(notices)
  const results = yield* resultsOf(notices, webhooks)
  return notices.flatMap((notice) => {
    const job = jobs.get(optionalText(notice.job_id) ?? '') ?? null
    const type = text(notice.type)
    const { [onlyTo]: to, ...body } = json(notice.body) as Record<string, unknown>
    const heard = webhooks.filter((webhook) =>
      to === undefined ? webhook.hears({ type, job }) : to === text(webhook.job.id),
    )
    if (heard.length === 0) return []
    const message = messageOf(notice, body, job, newId(now))
    const result = type === 'execution.completed' ? results.get(text(notice.subject)) : undefined
    return heard.map((webhook) => {
      const { include, link } = webhook.handler
      const extra = { ...linkOf(link, message), ...(include.includes('result') ? result : {}) }
      return deliveryRow(webhook.job, { ...message, data: { ...message.data, ...extra } }, newId(now), now)
    })
  })
}

interface NamedJob {
  readonly id: string
  readonly name: string
  readonly tags: readonly string[]
}

/** A job that was deleted is still known by its row. */
function* jobsOf(notices: readonly Row[]): Script<ReadonlyMap<string, NamedJob>> {
  const ids = new Set(notices.flatMap(({ job_id }) => optionalText(job_id) ?? []))
  if (ids.size === 0) return new Map()
  const jobs = yield* rows(jobsText, [...ids])
  return new Map(
    jobs.map((job) => [
      text(job.id),
      { id: text(job.id), name: text(job.name), tags: specFrom(job.spec).tags },
    ]),
  )
}

/** As they stand in a message, by execution; read only where a webhook asks for them. */
function* resultsOf(
  notices: readonly Row[],
  webhooks: readonly Listener[],
): Script<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  if (!webhooks.some(({ handler }) => handler.include.includes('result'))) return new Map()
  const completed = notices.filter(({ type }) => type === 'execution.completed')
  if (completed.length === 0) return new Map()
  const found = yield* rows(
    resultsText,
    completed.map(({ subject }) => text(subject)),
  )
  return new Map(
    found.map(({ id, result }) => {
      const written = optionalText(result)
      const fits = written === null || written.length <= longestResult
      return [text(id), fits ? { result: json(written) } : { result: null, resultTooLong: true }]
    }),
  )
}

function messageOf(notice: Row, body: Message['data'], job: NamedJob | null, id: string): Message {
  const about = job === null ? {} : { job: job.name, jobId: job.id, tags: job.tags }
  return {
    id: `msg_${id}`,
    type: text(notice.type),
    timestamp: new Date(number(notice.at)).toISOString(),
    data: { ...about, ...body },
  }
}

function deliveryRow(job: Row, message: Message, id: string, now: number): NewExecutionRow {
  return {
    id,
    job_id: text(job.id),
    cause: 'enqueue',
    tick_at: null,
    account: null,
    scheduled_for: now,
    state: 'pending',
    ready_at: now,
    start_by: startByRow(now, job),
    queue: text(job.queue),
    priority: number(job.priority),
    handler: webhookKey,
    max_attempts: number(job.max_attempts),
    caught_up_index: null,
    caught_up_of: null,
    input: JSON.stringify(message),
    metadata: null,
    retry_of: null,
    idempotency_key: message.id,
    created_at: now,
  }
}
