/** One Evertick process. It only wires: which parts a role needs, and in which order they start and stop. */
import type { EvertickError } from '../core/error.ts'
import type { HintTopic } from '../store/hints.ts'
import type { Archive, NodeRow } from '../store/store.ts'
import { Audience } from './audience.ts'
import type { EngineContext } from './context.ts'
import { Elector } from './elector.ts'
import { JumpGuard } from './jump-guard.ts'
import { Pruner } from './pruner.ts'
import { Registrar } from './registrar.ts'
import { Releaser } from './releaser.ts'
import { Rescuer } from './rescuer.ts'
import { Scheduler } from './scheduler.ts'
import { Sealer } from './sealer.ts'
import { Teller } from './teller.ts'
import { Watcher } from './watcher.ts'
import { Watchman } from './watchman.ts'
import type { EnqueueOptions, EnqueueResult, Handler, JobReference } from './worker/handler.ts'
import type { Slot } from './worker/slot.ts'
import { Worker } from './worker/worker.ts'

export const roles = ['scheduler', 'worker', 'api'] as const
export type Role = (typeof roles)[number]
/** Never a port unless somebody asks for it. */
export const usualRoles: readonly Role[] = ['scheduler', 'worker']

export interface NodeOptions {
  readonly roles: readonly Role[]
  readonly queues: Readonly<Record<string, { readonly concurrency: number }>>
  readonly worker: {
    readonly leaseMs: number
    readonly extendAt: number
    /** null: as often as the clock allows. */
    readonly pollMs: number | null
  }
  readonly leader: { readonly leaseMs: number; readonly heartbeatMs: number; readonly sweepMs: number }
  /** How far ahead of its instant a tick may be accounted. */
  readonly aheadMs: number
  readonly catchUpEveryMs: number
  /** How long the audit log is kept; null: for ever. */
  readonly auditLogMs: number | null
  /** Where what retention removes is kept. */
  readonly archive: Archive | null
  readonly host: string
  readonly pid: number
  readonly version: string
  readonly onOutdated: (schemaVersion: number) => void
  readonly onLost: (error: EvertickError) => void
}

export class Node {
  readonly #scheduling: readonly { start(): void; stop(): Promise<void> }[]
  readonly #audience: Audience
  readonly #elector: Elector
  readonly #scheduler: Scheduler
  readonly #teller: Teller
  readonly #worker: Worker | null
  readonly #registrar: Registrar
  readonly #watcher: Watcher
  readonly #releaser: Releaser

  constructor(
    context: EngineContext,
    options: NodeOptions,
    handlers: ReadonlyMap<string, Handler>,
    enqueue: (job: JobReference, input: unknown, options?: EnqueueOptions) => Promise<EnqueueResult>,
  ) {
    // With the host's clock: writes of other processes are seen within 250 ms, and a worker looks for work every 5 s
    // at least, whatever it has heard.
    const watchMs = context.clock.longestSleepMs / 120
    const pollMs = options.worker.pollMs ?? context.clock.longestSleepMs / 6
    const onReady = () => this.#worker?.wake()
    // While nobody listens there are no deliveries, and nothing looks for any.
    this.#audience = new Audience(context.store, () => {
      this.#teller.wake()
      if (this.#audience.heard.length > 0) this.#worker?.deliver()
    })
    const audience = this.#audience
    const onElected = () => {
      this.#scheduler.wake()
      rescuer.wake()
      this.#teller.wake()
    }
    this.#elector = new Elector(context, options.leader, onElected)
    this.#releaser = new Releaser(context, onReady)
    const guard = new JumpGuard(context.clock, context.logger)
    const parts = { elector: this.#elector, releaser: this.#releaser, guard, onReady }
    this.#scheduler = new Scheduler(context, options, parts)
    // What the rescuer ends may have been a fixedDelay tick, whose end writes the next.
    const sweep = { everyMs: options.leader.sweepMs, leaseMs: options.worker.leaseMs }
    const rescuer = new Rescuer(context, sweep, { ...parts, onReady: () => this.changed() })
    const leads = options.roles.includes('scheduler')
    const pruner = new Pruner(context, { elector: this.#elector, guard }, options)
    const sealer = new Sealer(context, this.#elector)
    this.#teller = new Teller(context, { elector: this.#elector, audience }, onReady)
    const watchman = new Watchman(context, { ...parts, onPaused: () => this.changed() })
    const works = options.roles.includes('worker')
    this.#scheduling = [
      ...(leads ? [this.#elector, this.#scheduler] : []),
      ...(leads || works ? [rescuer] : []),
      ...(leads ? [pruner, sealer, watchman, this.#teller] : []),
    ]
    this.#worker = works
      ? new Worker(
          context,
          { ...options.worker, queues: options.queues, pollMs },
          {
            handlers,
            enqueue,
            audience,
            releaser: this.#releaser,
            onNextTick: () => this.#scheduler.wake(),
          },
        )
      : null
    const hear = (topic: HintTopic) => {
      if (topic === 'leader') this.#elector.wake()
      else this.changed()
    }
    this.#watcher = new Watcher(context, watchMs, { audience, hear, onLost: options.onLost })
    const startedAt = context.clock.now()
    this.#registrar = new Registrar(context, this.#elector, {
      node: () => nodeRow(context, options, startedAt),
      handlers: () => (this.#worker === null ? [] : [...handlers.keys()]),
      onOutdated: options.onOutdated,
    })
  }

  async start(): Promise<void> {
    await this.#registrar.register()
    // Before the first end: what nobody was known to hear of is told to nobody.
    await this.#audience.refresh()
    this.#registrar.start()
    this.#releaser.start()
    this.#watcher.start()
    for (const part of this.#scheduling) part.start()
    this.#worker?.start()
  }

  /** Leadership goes last of the deciding parts, so that a graceful stop hands over at once and nothing decides after it. */
  async stop(timeoutMs: number): Promise<void> {
    // A part that hangs must not keep the worker from hearing of the stop.
    const worked = this.#worker?.stop(timeoutMs)
    for (const part of this.#scheduling.toReversed()) await part.stop()
    await worked
    await this.#watcher.stop()
    await this.#releaser.stop()
    await this.#registrar.stop()
  }

  /** A stop that is under way, or comes later, no longer waits for running handlers: it aborts them now. */
  hurry(): void {
    this.#worker?.hurry()
  }

  /** Something was written that this node should look at now. */
  changed(): void {
    this.#scheduler.wake()
    this.#teller.wake()
    this.#worker?.wake()
  }

  /** The map of handlers has changed while this node runs. */
  async handlersChanged(): Promise<void> {
    await this.#registrar.handlersChanged()
    this.#worker?.wake()
  }

  /** New work was enqueued. */
  enqueued(): void {
    this.#worker?.wake()
  }

  /** For what is about to be enqueued; null where it is better claimed. */
  offerSlot(queue: string): Slot | null {
    return this.#worker?.offerSlot(queue) ?? null
  }

  /** A job was changed by this process itself. */
  jobChanged(): void {
    this.#watcher.wake()
  }

  async stepDown(): Promise<boolean> {
    return await this.#elector.stepDown()
  }

  get termId(): number | null {
    return this.#elector.term()?.id ?? null
  }

  /** Executions whose handler is under way. */
  get running(): number {
    return this.#worker?.running ?? 0
  }
}

function nodeRow(context: EngineContext, options: NodeOptions, startedAt: number): NodeRow {
  const queues = Object.entries(options.queues).map(([name, { concurrency }]) => [name, concurrency] as const)
  return {
    id: context.nodeId,
    host: options.host,
    pid: options.pid,
    roles: options.roles,
    queues: Object.fromEntries(queues),
    version: options.version,
    leaseMs: options.worker.leaseMs,
    startedAt,
    seenAt: context.clock.now(),
  }
}
