/** `evertick.webhooks`: who is told outside of what happens, and what became of each delivery. */
import { EvertickError } from '../../core/error.ts'
import type { WebhookHandler } from '../../core/job/handler.ts'
import type { Job } from '../../core/job/job.ts'
import { isWebhookName, jobOfWebhook } from '../../core/notice/webhook.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { Duration, Instant } from '../../core/schedule/schedule.ts'
import type { JobChange } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'
import { pageLimit, refuseUnknown } from '../config/call-options.ts'
import { send } from './deliver.ts'
import { holding, newSecret, type WebhookOptions, webhookSpec } from './webhook-options.ts'
import { type DeliveryView, deliveryView, type WebhookView, webhookView } from './webhook-view.ts'

export interface CreateWebhook extends WebhookOptions {
  readonly name: string
}

export const deliveryStates = ['pending', 'running', 'retrying', 'completed', 'failed', 'cancelled'] as const

export interface ListDeliveries {
  readonly state?: (typeof deliveryStates)[number]
  /** @default 50 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

export interface TestedWebhook {
  readonly messageId: string
  readonly ok: boolean
  readonly status: number | null
  readonly tookMs: number
  readonly error: string | null
}

/** A page beside the list of them would be the first. */
const mostWebhooks = 100
const usualOverlap: Duration = '24h'
/** In one call; whoever has more calls again. */
const mostResent = 1_000

export class Webhooks {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async list(): Promise<WebhookView[]> {
    const jobs = await this.#app.store.notices.listWebhooks()
    const ids = jobs.map(({ id }) => id)
    const now = this.#app.clock.now()
    const last = await this.#app.store.executions.lastExecutions(ids, now)
    const lastOf = new Map(last.map(({ execution }) => [execution.jobId, execution]))
    return jobs.flatMap((job) => {
      const { handler } = job.spec
      return handler.type === 'webhook' ? [webhookView(job, handler, lastOf.get(job.id) ?? null, now)] : []
    })
  }

  async get(name: string): Promise<WebhookView> {
    return await this.#view((await this.#find(name)).job)
  }

  /** The secret is in this answer and nowhere else; null where the format signs nothing. */
  async create(
    webhook: CreateWebhook,
    by: ActorOptions = {},
  ): Promise<WebhookView & { readonly secret: string | null }> {
    const { name, ...options } = webhook
    const { store, secrets } = this.#app
    if (!isWebhookName(name)) throw badName(name)
    if ((await store.notices.listWebhooks()).length >= mostWebhooks) throw tooMany()
    const context = changeContext(this.#app, by)
    const job = jobOfWebhook(name)
    const { secret, key } = newSecret(job, secrets)
    const around = { app: this.#app, job, createdAt: context.now }
    const spec = webhookSpec(options, around, { secrets: [{ key, until: null }] })
    const isSigned = handlerOf(spec).secrets.length > 0
    const made = { id: this.#app.newId(context.now), name: job, spec, managedBy: 'api', managedHash: null }
    const created = await store.jobs
      .createJob({ ...made, paused: false, context })
      .catch((error: unknown) => {
        throw error instanceof EvertickError && error.code === 'job_exists' ? taken(name) : error
      })
    this.#app.jobChanged()
    return { ...(await this.#view(created)), secret: isSigned ? secret : null }
  }

  /** Changes what is given and keeps the rest. Headers of one address are not sent to another. */
  async update(name: string, changes: Partial<WebhookOptions>, by: ActorOptions = {}): Promise<WebhookView> {
    const spec = ({ name: job, spec: before, createdAt }: Job) =>
      webhookSpec(changes, { app: this.#app, job, createdAt }, { spec: before, handler: handlerOf(before) })
    return await this.#change(name, { kind: 'edit', spec }, by)
  }

  /** What still waits to be delivered is cancelled. */
  async delete(name: string, by: ActorOptions = {}): Promise<void> {
    const { job } = await this.#find(name)
    await this.#app.store.jobs.changeJob(job.id, { kind: 'delete' }, changeContext(this.#app, by))
    this.#app.jobChanged()
  }

  /** It is told of nothing from now on, and what waits to be delivered waits on. */
  async pause(
    name: string,
    { reason, ...by }: ActorOptions & { reason?: string } = {},
  ): Promise<WebhookView> {
    return await this.#change(name, { kind: 'pause', ...(reason === undefined ? {} : { reason }) }, by)
  }

  async resume(name: string, by: ActorOptions = {}): Promise<WebhookView> {
    return await this.#change(name, { kind: 'resume', catchUp: 'skip' }, by)
  }

  /** A new secret. The one before signs beside it for `keep`, so that a receiver may change over. */
  async rotate(
    name: string,
    { keep = usualOverlap, ...by }: ActorOptions & { keep?: Duration } = {},
  ): Promise<{ readonly secret: string; readonly rotatingUntil: Date }> {
    const { job, handler: present } = await this.#find(name)
    if (present.secrets.length === 0) throw unsigned(present)
    const { secret, key } = newSecret(job.name, this.#app.secrets)
    const context = changeContext(this.#app, by)
    const until = context.now + parseDuration(keep, 'keep')
    const spec = ({ spec: before }: Job) => {
      const handler = handlerOf(before)
      const old = holding(handler.secrets, context.now).map((one) => ({ ...one, until: one.until ?? until }))
      return { ...before, handler: { ...handler, secrets: [{ key, until: null }, ...old] } }
    }
    await this.#app.store.jobs.changeJob(job.id, { kind: 'edit', spec }, context)
    this.#app.jobChanged()
    return { secret, rotatingUntil: new Date(until) }
  }

  /** Sends a `ping` now, from this process, and says what came back. */
  async test(name: string): Promise<TestedWebhook> {
    const { job, handler } = await this.#find(name)
    const { clock, newId } = this.#app
    const now = clock.now()
    const id = `msg_${newId(now)}`
    const message = { id, type: 'ping', timestamp: new Date(now).toISOString(), data: { webhook: name } }
    const answer = await send(message, job.name, handler, AbortSignal.timeout(testMs), this.#app)
    const { status, tookMs, outcome } = answer
    const error = 'error' in outcome ? (outcome.error?.message ?? null) : null
    return { messageId: id, ok: outcome.kind === 'done', status, tookMs, error }
  }

  /** The newest first. */
  async deliveries(
    name: string,
    query: ListDeliveries = {},
  ): Promise<{ deliveries: DeliveryView[]; nextCursor: string | null }> {
    refuseUnknown(query, ['state', 'limit', 'cursor'], 'webhooks.deliveries')
    const { job } = await this.#find(name)
    const { cursor, state } = query
    const limit = pageLimit(query.limit, 50)
    const found = await this.#app.store.executions.listExecutions({
      job: job.id,
      limit: limit + 1,
      ...(state === undefined ? {} : { state }),
      ...(cursor === undefined ? {} : { afterId: cursor }),
    })
    const page = found.slice(0, limit)
    const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null
    return { deliveries: page.map(deliveryView), nextCursor }
  }

  /** One delivery, or with `since` all that have failed since then; under the ids that they had. */
  async resend(
    name: string,
    { delivery, since, ...by }: ActorOptions & { delivery?: string; since?: Instant },
  ): Promise<{ readonly resent: number }> {
    const { job } = await this.#find(name)
    if ((delivery === undefined) === (since === undefined)) throw eitherOr()
    const ids =
      delivery === undefined ? await this.#failedSince(job, since) : [await this.#own(job, delivery)]
    let resent = 0
    for (const id of ids) {
      const context = changeContext(this.#app, by)
      const retry = { id: this.#app.newId(context.now), fromStep: null }
      await this.#app.store.executions.retryExecution(id, retry, context)
      resent += 1
    }
    this.#app.enqueued()
    return { resent }
  }

  async #own(job: Job, delivery: string): Promise<string> {
    const execution = await this.#app.store.executions.findExecution(delivery)
    if (execution?.jobId === job.id) return execution.id
    throw new EvertickError('execution_not_found', `This webhook has no delivery ${delivery}.`, {
      next: 'List its deliveries; retention removes old ones.',
    })
  }

  /** Those that were resent already, and whose resend has not failed, are not among them. */
  async #failedSince(job: Job, since: Instant = new Date(0)): Promise<string[]> {
    const from = parseInstant(since, 'since')
    const failed = await this.#app.store.executions.listExecutions({
      job: job.id,
      state: 'failed',
      from,
      limit: mostResent,
    })
    const newer = await this.#app.store.executions.listExecutions({
      job: job.id,
      from,
      limit: 10 * mostResent,
    })
    const resent = new Set(newer.flatMap(({ retryOf }) => retryOf ?? []))
    return failed.filter(({ id }) => !resent.has(id)).map(({ id }) => id)
  }

  async #change(name: string, change: JobChange, by: ActorOptions): Promise<WebhookView> {
    const { job } = await this.#find(name)
    const changed = await this.#app.store.jobs.changeJob(job.id, change, changeContext(this.#app, by))
    this.#app.jobChanged()
    return await this.#view(changed)
  }

  async #view(job: Job): Promise<WebhookView> {
    const now = this.#app.clock.now()
    const [last] = await this.#app.store.executions.lastExecutions([job.id], now)
    return webhookView(job, handlerOf(job.spec), last?.execution ?? null, now)
  }

  async #find(name: string): Promise<{ readonly job: Job; readonly handler: WebhookHandler }> {
    const job = await this.#app.store.jobs.findJob(jobOfWebhook(name))
    if (job === null) throw notFound(name)
    return { job, handler: handlerOf(job.spec) }
  }
}

/** Of the whole test. */
const testMs = 20_000

function handlerOf({ handler }: Job['spec']): WebhookHandler {
  if (handler.type === 'webhook') return handler
  throw new Error(`A webhook has a handler of type ${handler.type}.`)
}

function notFound(name: string): EvertickError {
  return new EvertickError('webhook_not_found', `No webhook is named "${name}".`, {
    next: 'List the webhooks with `evertick webhooks list`.',
  })
}

function taken(name: string): EvertickError {
  return new EvertickError('webhook_exists', `There is already a webhook named "${name}".`, {
    field: 'name',
    next: 'Update it, or choose another name.',
  })
}

function badName(name: string): EvertickError {
  return new EvertickError('invalid_definition', `"${name}" is not a valid name of a webhook.`, {
    field: 'name',
    next: 'Use up to 100 letters, digits, spaces, and _ . : / @ -; begin with a letter, a digit or _.',
  })
}

function unsigned({ format }: WebhookHandler): EvertickError {
  return new EvertickError('invalid_option', `A ${format} webhook is not signed, so it has no secret.`, {
    field: 'name',
    next: 'If its address has become known, give it another one: `evertick webhooks update --to …`.',
  })
}

function tooMany(): EvertickError {
  return new EvertickError('invalid_option', `There are ${mostWebhooks} webhooks; there can be no more.`, {
    next: 'Delete one, or let one receiver pass messages on.',
  })
}

function eitherOr(): EvertickError {
  return new EvertickError(
    'invalid_option',
    'Name either one delivery, or an instant since when all that failed are resent.',
    {
      field: 'delivery',
    },
  )
}
