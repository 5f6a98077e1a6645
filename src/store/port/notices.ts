/** What is told outside: the outbox of facts, and who hears of them. */
import type { Job } from '../../core/job/job.ts'
import type { NoticeType } from '../../core/notice/notice.ts'
import type { Fence } from './cluster.ts'

export interface NoticeStore {
  /** The types of which at least one webhook hears at present. */
  heardNow(): Promise<NoticeType[]>
  /** All of them, paused ones too, by name. */
  listWebhooks(): Promise<Job[]>
  /** Enqueues the deliveries of the oldest notices, and removes these. Decided by the leader's fence, and by the rows removed. */
  passNotices(request: PassRequest): Promise<PassResult>
}

export interface PassRequest {
  readonly leader: Fence
  readonly limit: number
  readonly now: number
}

export interface PassResult {
  /** False where the fence refused: another node leads. */
  readonly led: boolean
  readonly passed: number
  readonly deliveries: number
  /** There may be more than the limit. */
  readonly more: boolean
}
