/** Enqueueing: checks the input, makes the rows, and writes a definition that the database does not know yet. */
import { EvertickError } from '../../core/error.ts'
import { storable } from '../../core/payload.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import type { EnqueueOptions, EnqueueResult, JobReference } from '../../engine/worker/handler.ts'
import type { NewExecution } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { refuseBadName, refuseUnknown } from '../config/call-options.ts'
import type { AnyJob } from '../config/options.ts'
import { applyJob } from '../job/apply-jobs.ts'
import { parseInput } from '../job/define-job.ts'

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
    try {
      const made = await store.work.enqueueExecutions(rows, tx)
      if (tx === undefined) enqueued()
      return made
    } catch (error) {
      if (tx !== undefined || !(error instanceof EvertickError) || error.code !== 'job_not_found') throw error
      if (!(await this.#define(rows))) throw error
      const made = await store.work.enqueueExecutions(rows)
      enqueued()
      return made
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
  if (queue !== undefined) refuseBadName(queue, 'queue')
  if (unique !== undefined) refuseBadName(unique, 'unique', 500)
}

function isDefined(job: JobReference): job is AnyJob {
  return typeof job === 'object' && 'schema' in job
}
