/** The worker of a node: its queues, and the parts that they share. */
import { webhookQueue } from '../../core/notice/webhook.ts'
import type { Aftermath } from '../../store/store.ts'
import type { Audience } from '../audience.ts'
import type { EngineContext } from '../context.ts'
import type { Releaser } from '../releaser.ts'
import { Finisher } from './finisher.ts'
import type { EnqueueOptions, EnqueueResult, Handler, JobReference } from './handler.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { QueueWorker } from './queue-worker.ts'
import { Recorder } from './recorder.ts'
import { Runner } from './runner.ts'
import type { Slot } from './slot.ts'
import type { Remember } from './steps/memos.ts'

export interface WorkerOptions {
  readonly queues: Readonly<Record<string, { readonly concurrency: number }>>
  readonly leaseMs: number
  readonly extendAt: number
  readonly pollMs: number
}

/** Of each worker: a delivery mostly waits for its receiver. */
const deliverySlots = 10
/** After the stop's grace: how long a handler may take to heed its signal. */
const abortGraceMs = 1_000

export class Worker {
  readonly #context: EngineContext
  readonly #recorder: Recorder
  readonly #keeper: LeaseKeeper
  readonly #finisher: Finisher
  readonly #queues: ReadonlyMap<string, QueueWorker>
  /** Deliveries to webhooks have slots of their own: a receiver that is slow takes none from other work. */
  readonly #deliveries: QueueWorker
  #delivers = false
  #started = false
  readonly #hurried = new AbortController()

  constructor(
    context: EngineContext,
    options: WorkerOptions,
    parts: {
      readonly handlers: ReadonlyMap<string, Handler>
      readonly audience: Audience
      readonly releaser: Releaser
      readonly onNextTick: () => void
      readonly enqueue: (
        job: JobReference,
        input: unknown,
        options?: EnqueueOptions,
      ) => Promise<EnqueueResult>
    },
  ) {
    const { leaseMs, extendAt, pollMs } = options
    this.#context = context
    this.#recorder = new Recorder(context)
    const { handlers, enqueue, audience } = parts
    this.#keeper = new LeaseKeeper(context, leaseMs, extendAt)
    const onEnded = ({ releases, opened }: Aftermath) => {
      parts.releaser.add(releases)
      if (opened) parts.onNextTick()
      // What was released by an ending may be for any of our queues.
      this.wake()
    }
    this.#finisher = new Finisher(context, audience, onEnded)
    const [keeper, recorder] = [this.#keeper, this.#recorder]
    const remember: Remember = (record, written) => this.#finisher.remember(record, written)
    const runner = new Runner(context, { handlers, enqueue, audience, onEnded, keeper, recorder, remember })
    const performing = { runner, finisher: this.#finisher, keeper: this.#keeper }
    const serve = (queue: string, concurrency: number) =>
      new QueueWorker(context, { queue, concurrency, leaseMs, pollMs }, performing)
    this.#deliveries = serve(webhookQueue, deliverySlots)
    this.#queues = new Map([
      ...Object.entries(options.queues).map(
        ([queue, { concurrency }]) => [queue, serve(queue, concurrency)] as const,
      ),
      [webhookQueue, this.#deliveries],
    ])
  }

  start(): void {
    this.#started = true
    this.#recorder.start()
    this.#keeper.start()
    for (const queue of this.#queues.values()) if (queue !== this.#deliveries) queue.start()
    if (this.#delivers) this.#deliveries.start()
  }

  /** From now on, if this worker runs or once it does: before somebody listens, nothing looks for deliveries. */
  deliver(): void {
    this.#delivers = true
    if (this.#started) this.#deliveries.start()
  }

  wake(): void {
    for (const queue of this.#queues.values()) queue.wake()
  }

  /** Null where this worker does not serve the queue, or is busy with it. */
  offerSlot(queue: string): Slot | null {
    return this.#queues.get(queue)?.offerSlot() ?? null
  }

  get running(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.running, 0)
  }

  /** Whoever stops this worker will not wait: handlers are aborted at once. */
  hurry(): void {
    this.#hurried.abort()
  }

  /** Stops claiming at once, waits its grace, then aborts, and at last gives back what is still held. */
  async stop(timeoutMs: number): Promise<void> {
    // An end that is written from here on is news for who listens, and must not bring a queue back.
    this.#started = false
    // A claim that hangs is part of what is waited for.
    const settled = Promise.all(
      [...this.#queues.values()].map(async (queue) => {
        await queue.stopClaiming()
        await queue.settled()
      }),
    )
    if (!(await this.#within(settled, timeoutMs, this.#hurried.signal))) {
      this.#keeper.abortAll('shutdown')
      if (!(await this.#within(settled, abortGraceMs))) {
        this.#finisher.giveUp()
        await Promise.all([...this.#queues.values()].map((queue) => queue.abandon()))
      }
    }
    await this.#finisher.stop()
    await this.#keeper.stop()
    await this.#recorder.stop()
  }

  async #within(settled: Promise<unknown>, ms: number, ...enough: AbortSignal[]): Promise<boolean> {
    const over = new AbortController()
    const late = this.#context.clock.sleep(ms, AbortSignal.any([over.signal, ...enough])).then(() => false)
    const inTime = await Promise.race([settled.then(() => true), late])
    over.abort()
    return inTime
  }
}
