/** Enqueueing: checks the input, makes the rows, and writes a definition that the database does not know yet. */
import { EvertickError } from '../../core/error.ts'
import { jobFields } from '../../core/job/fields.ts'
import { webhookQueue } from '../../core/notice/webhook.ts'
import { storable } from '../../core/payload.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { EnqueueOptions, EnqueueResult, JobReference } from '../../engine/worker/handler.ts'
import type { Slot } from '../../engine/worker/slot.ts'
import type { ClaimedExecution, NewExecution } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { refuseBadName, refuseUnknown } from '../config/call-options.ts'
import type { AnyJob } from '../config/options.ts'
import { applyJob } from '../job/apply-jobs.ts'
import { parseInput } from '../job/schema-check.ts'

export interface EnqueueItem {
  readonly job: JobReference
  readonly input?: unknown
  readonly options?: Omit<EnqueueOptions, 'tx'>
}

export class Producer {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async enqueue(job: JobReference, input: unknown, options: EnqueueOptions = {}): Promise<EnqueueResult> {
    const row = await this.#newExecution(job, input, options)
    const slot = this.#slotFor(row, options)
    if (slot !== null) return await this.#defining([row], () => this.#enqueueInto(slot, row))
    const [made] = await this.#insert([row], options.tx)
    if (made === undefined) throw new Error('The store made no execution.')
    return made
  }

  /** All of them, or none if one is refused. */
  async enqueueMany(items: readonly EnqueueItem[], tx: object | undefined): Promise<EnqueueResult[]> {
    const rows: NewExecution[] = []
    for (const { job, input, options } of items) rows.push(await this.#newExecution(job, input, options))
    return await this.#insert(rows, tx)
  }

  async #insert(rows: readonly NewExecution[], tx: object | undefined): Promise<EnqueueResult[]> {
    const { store, enqueued } = this.#app
    if (tx !== undefined) return await store.work.enqueueExecutions(rows, tx)
    return await this.#defining(rows, async () => {
      const made = await store.work.enqueueExecutions(rows)
      enqueued()
      return made
    })
  }

  /** Of an idle worker in this process: it begins by the write that enqueues it, where it would be claimed by a second. */
  #slotFor(row: NewExecution, { tx, runAt, unique }: EnqueueOptions): Slot | null {
    const defined = this.#app.defined.get(row.jobName)
    if (defined === undefined || tx !== undefined || runAt !== undefined || unique !== undefined) return null
    return this.#app.offerSlot(row.queue ?? defined.options.queue ?? jobFields.queue.default)
  }

  async #enqueueInto({ offer, begin, free }: Slot, row: NewExecution): Promise<EnqueueResult> {
    const { store, enqueued } = this.#app
    let claim: ClaimedExecution | null = null
    try {
      claim = await store.work.enqueueIntoSlot(row, offer)
      if (claim === null) enqueued()
    } finally {
      if (claim === null) free()
      else begin(claim)
    }
    return { id: row.id, created: true }
  }

  /** Writes a second time where the database did not know the jobs, and this code does. */
  async #defining<T>(rows: readonly NewExecution[], write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      if (!(error instanceof EvertickError) || error.code !== 'job_not_found') throw error
      if (!(await this.#define(rows))) throw error
      return await write()
    }
  }

  /** A producer may enqueue before any node has started: its definitions are then written first. */
  async #define(rows: readonly NewExecution[]): Promise<boolean> {
    const missing = [...new Set(rows.map((row) => row.jobName))].map((name) => this.#app.defined.get(name))
    const known = missing.filter((job) => job !== undefined)
    for (const job of known) await applyJob(this.#app, job, 'code')
    return known.length > 0
  }

  async #newExecution(
    job: JobReference,
    input: unknown,
    options: EnqueueOptions = {},
  ): Promise<NewExecution> {
    const jobName = typeof job === 'string' ? job : job.name
    const defined = isDefined(job) ? job : this.#app.defined.get(jobName)
    const { clock, maxPayloadBytes, newId } = this.#app
    refuseBadOptions(options)
    storable(input, 'input', maxPayloadBytes)
    // Checked, but stored as given: the handler's node checks and transforms it again.
    if (defined !== undefined) await parseInput(defined, input)
    const now = clock.now()
    const readyAt = options.runAt === undefined ? now : parseInstant(options.runAt, 'runAt')
    return {
      id: newId(now),
      jobName,
      cause: 'enqueue',
      scheduledFor: readyAt,
      readyAt,
      queue: options.queue ?? null,
      priority: options.priority ?? null,
      input,
      metadata: storable(options.metadata, 'metadata', maxPayloadBytes) ?? {},
      uniqueKey: options.unique ?? null,
      createdAt: now,
    }
  }
}

const optionNames = ['runAt', 'priority', 'queue', 'unique', 'metadata', 'tx']

function refuseBadOptions(options: EnqueueOptions): void {
  refuseUnknown(options, optionNames, 'enqueue')
  const { priority, queue, unique } = options
  const refuse = (field: string, message: string) => {
    throw new EvertickError('invalid_option', message, { field })
  }
  if (priority !== undefined && !(Number.isSafeInteger(priority) && Math.abs(priority) <= 1_000)) {
    refuse('priority', `priority is ${priority}; it must be a whole number from -1000 to 1000.`)
  }
  if (queue === '') refuse('queue', 'queue must be a non-empty string; leave it out for the job’s own.')
  if (unique === '') refuse('unique', 'unique must be a non-empty string; give a key, or leave it out.')
  if (queue === webhookQueue) refuse('queue', `the queue "${webhookQueue}" is for webhooks.`)
  if (queue !== undefined) refuseBadName(queue, 'queue')
  if (unique !== undefined) refuseBadName(unique, 'unique', 500)
}

function isDefined(job: JobReference): job is AnyJob {
  return typeof job === 'object' && 'schema' in job
}
