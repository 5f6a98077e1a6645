/** Executions that were enqueued together, and what runs once all of them have ended. */
import type { CallerTransaction, Enqueued, NewExecution } from './work.ts'

export interface BatchStore {
  /**
   * One transaction; its members are the executions that it makes. What follows is made with them, and waits; where there
   * is nothing to wait for it is ready at once.
   */
  enqueueBatch(batch: NewBatch, within?: CallerTransaction): Promise<Enqueued[]>
  findBatch(id: string): Promise<Batch | null>
  /** The one whose end this execution follows. */
  findBatchBefore(onDoneId: string): Promise<Batch | null>
  /** Newest first. */
  listBatches(query: BatchQuery): Promise<Batch[]>
}

export interface NewBatch {
  readonly id: string
  readonly name: string | null
  readonly createdAt: number
  readonly items: readonly NewExecution[]
  readonly onDone: NewExecution | null
}

export interface BatchQuery {
  readonly limit: number
  readonly afterId?: string
}

export interface Batch {
  readonly id: string
  readonly name: string | null
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
  readonly createdAt: number
  /** When the last one had ended. */
  readonly doneAt: number | null
  readonly onDoneId: string | null
}
