/** `evertick.batches`: executions that were enqueued together, how far they are, and what follows once all have ended. */
import { EvertickError } from '../../core/error.ts'
import type { EnqueueResult, JobReference } from '../../engine/worker/handler.ts'
import type { Batch, CallerTransaction, NewExecution } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { pageLimit, refuseBadName, refuseUnknown } from '../config/call-options.ts'
import type { EnqueueItem, Producer } from '../execution/producer.ts'

export interface BatchOptions {
  /** What it is called in lists. */
  readonly name?: string
  /** Runs once, when all of them have ended, however they did. */
  readonly onDone?: JobReference | EnqueueItem
}

export interface BatchResult {
  readonly id: string
  /** In the order of the items. */
  readonly executions: readonly EnqueueResult[]
}

export interface BatchView {
  readonly id: string
  readonly name: string | null
  /** Of its executions, how many have ended how. One that was enqueued before under the same unique key is not among them. */
  readonly counts: BatchCounts
  readonly createdAt: Date
  /** When the last one had ended; null before. */
  readonly doneAt: Date | null
  /** The execution that follows; null where none does. */
  readonly onDoneId: string | null
}

export interface BatchCounts {
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
}

export interface ListBatches {
  /** @default 100 */
  readonly limit?: number
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string
}

/** All of them and what follows, or nothing. */
export async function makeBatch(
  { store, clock, newId }: AppContext,
  producer: Producer,
  items: readonly EnqueueItem[],
  { batch, tx }: { readonly batch: BatchOptions; readonly tx?: CallerTransaction },
): Promise<BatchResult> {
  refuseUnknown(batch, ['name', 'onDone'], 'batch')
  if (batch.name !== undefined) refuseBadName(batch.name, 'batch.name')
  const now = clock.now()
  // The first id that it makes: a request that is sent again is known by it.
  const id = newId(now)
  const drafts: NewExecution[] = []
  for (const { job, input, options } of items) drafts.push(await producer.draftOf(job, input, options))
  const onDone = batch.onDone === undefined ? null : await draftOfDone(producer, batch.onDone)
  const made = { id, name: batch.name ?? null, createdAt: now, items: drafts, onDone }
  const all = onDone === null ? drafts : [...drafts, onDone]
  const executions = await producer.making(all, tx, (within) => store.batches.enqueueBatch(made, within))
  return { id, executions }
}

async function draftOfDone(producer: Producer, onDone: JobReference | EnqueueItem): Promise<NewExecution> {
  const item: EnqueueItem = typeof onDone === 'object' && 'job' in onDone ? onDone : { job: onDone }
  if (item.options !== undefined && 'unique' in item.options)
    throw new EvertickError(
      'invalid_option',
      'What follows a batch has no unique key: it runs once for its batch.',
      {
        field: 'batch.onDone.options.unique',
      },
    )
  return await producer.draftOf(item.job, item.input, item.options)
}

export class Batches {
  readonly #app: AppContext

  constructor(app: AppContext) {
    this.#app = app
  }

  async get(id: string): Promise<BatchView> {
    const batch = await this.#app.store.batches.findBatch(id)
    if (batch !== null) return batchView(batch)
    throw new EvertickError('batch_not_found', `There is no batch ${id}.`, {
      next: 'List batches with `evertick batches list`; retention removes old ones.',
    })
  }

  /** Newest first. */
  async list(query: ListBatches = {}): Promise<{ batches: BatchView[]; nextCursor: string | null }> {
    refuseUnknown(query, ['limit', 'cursor'], 'batches.list')
    const limit = pageLimit(query.limit, 100)
    const found = await this.#app.store.batches.listBatches({
      limit: limit + 1,
      ...(query.cursor === undefined ? {} : { afterId: query.cursor }),
    })
    const page = found.slice(0, limit)
    return {
      batches: page.map(batchView),
      nextCursor: found.length > limit ? (page.at(-1)?.id ?? null) : null,
    }
  }
}

export function batchView({
  total,
  completed,
  failed,
  cancelled,
  createdAt,
  doneAt,
  ...batch
}: Batch): BatchView {
  return {
    ...batch,
    counts: { total, completed, failed, cancelled },
    createdAt: new Date(createdAt),
    doneAt: doneAt === null ? null : new Date(doneAt),
  }
}
