/** Whoever listens hears of each end, once: it is told by the commit that ends it, and passed on by one other. */
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import { webhookQueue } from '../../../src/core/notice/webhook.ts'
import type { Change, ExecutionRow, NoticeRow } from './change-log.ts'
import type { Model } from './model.ts'
import { Violation } from './violation.ts'

export class NoticeRules {
  readonly #model: Model
  readonly #listens: boolean
  readonly #untold = new Set<number>()
  // Of this commit:
  #ended: ExecutionRow[] = []
  #told: NoticeRow[] = []
  #passed: NoticeRow[] = []
  #deliveries: ExecutionRow[] = []
  /** What was told, all in all. */
  told = 0

  /** `listens`: one webhook, from before the first node was there, hears of all ends. */
  constructor(model: Model, listens: boolean) {
    this.#model = model
    this.#listens = listens
  }

  get arePassed(): boolean {
    return this.#untold.size === 0
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (!this.#listens) return
    if (change.table === 'notice') {
      if (change.before === null && change.after !== null) this.#told.push(change.after)
      if (change.before !== null && change.after === null) this.#passed.push(change.before)
    }
    if (change.table !== 'execution' || change.after === null) return
    const { before, after } = change
    if (after.queue === webhookQueue) {
      // By hand, a delivery is sent again.
      if (before === null && after.retry_of === null) this.#deliveries.push(after)
    } else if (isFinal(after.state) && (before === null || !isFinal(before.state))) this.#ended.push(after)
  }

  end(): void {
    if (this.#ended.length > 0) this.#checkEnded()
    for (const { seq } of this.#told) this.#untold.add(seq)
    this.told += this.#told.length
    if (this.#told.length > 0) this.#told = []
    if (this.#passed.length > 0 || this.#deliveries.length > 0) this.#checkPassed()
  }

  /** The history is at its end. */
  finish(): void {
    if (!this.arePassed)
      throw new Violation(
        'what happened is told once',
        `${this.#untold.size} notices were passed on to nobody`,
      )
  }

  #checkEnded(): void {
    const told = new Set(this.#told.map(({ subject }) => subject))
    for (const { id, job_id: jobId, state } of this.#ended) {
      if (told.has(id)) continue
      const job = this.#model.nameOf(jobId)
      const what = `${job}, execution ${id.slice(-6)}, is ${state}, and nobody is told`
      throw new Violation('what happened is told once', what, job)
    }
    this.#ended = []
  }

  #checkPassed(): void {
    const [passed, deliveries] = [this.#passed.length, this.#deliveries.length]
    if (passed !== deliveries)
      throw new Violation('what happened is told once', `${passed} notices became ${deliveries} deliveries`)
    for (const { seq } of this.#passed) this.#untold.delete(seq)
    this.#passed = []
    this.#deliveries = []
  }
}
