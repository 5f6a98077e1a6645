/** Records that this node is alive and what it can run. While it leads, it also disables jobs that nobody can run any more. */
import type { NodeRow } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import { Alarm, Service } from './service.ts'

const orphanCheckMs = 60_000
/** Long enough for a deploy, counted under living leaders only. */
const orphanPatienceMs = 10 * 60_000

export class Registrar extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #node: () => NodeRow
  readonly #handlers: () => readonly string[]
  readonly #alarm: Alarm
  readonly #heartbeatMs: number
  readonly #onOutdated: (schemaVersion: number) => void
  #orphansAt = 0
  /** The handlers that the database knows of this node; null before it knows any. */
  #registered: ReadonlySet<string> | null = null
  #schemaVersion: number | null = null

  constructor(
    context: EngineContext,
    elector: Elector,
    self: {
      readonly node: () => NodeRow
      readonly handlers: () => readonly string[]
      /** Somebody migrated the database while this node runs, and this version does not know the new schema. */
      readonly onOutdated: (schemaVersion: number) => void
    },
  ) {
    super()
    this.#context = context
    this.#elector = elector
    this.#node = self.node
    this.#handlers = self.handlers
    this.#onOutdated = self.onOutdated
    this.#alarm = new Alarm(context.clock)
    this.#heartbeatMs = Math.floor(context.clock.longestSleepMs / 3)
  }

  /** Before this node claims anything, the database knows what it can run. */
  async register(): Promise<void> {
    const handlers = new Set(this.#handlers())
    this.#registered = null
    const schemaVersion = await this.#context.store.cluster.registerNode(this.#node(), [...handlers])
    this.#schemaVersion ??= schemaVersion
    this.#registered = handlers
  }

  /** Only the difference is written: a thousand jobs that come one by one are a thousand rows, not half a million. */
  async handlersChanged(): Promise<void> {
    const before = this.#registered
    const handlers = new Set(this.#handlers())
    this.#registered = null
    if (before === null) return await this.register()
    const added = [...handlers].filter((handler) => !before.has(handler))
    const removed = [...before].filter((handler) => !handlers.has(handler))
    const { store, nodeId } = this.#context
    if (await store.cluster.changeHandlers(nodeId, { added, removed })) this.#registered = handlers
    else await this.register()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { store, clock, logger, nodeId } = this.#context
    this.#orphansAt = clock.now() + orphanCheckMs
    while (!signal.aborted) {
      await this.#alarm.wait(this.#heartbeatMs, signal)
      if (signal.aborted) break
      try {
        const { known, schemaVersion } = await store.cluster.touchNode(
          nodeId,
          clock.now(),
          this.#heartbeatMs * 6,
        )
        // A node that was taken for dead (it slept, or was cut off) introduces itself again.
        if (!known) await this.register()
        if (schemaVersion !== this.#schemaVersion) this.#onOutdated(schemaVersion)
        if (this.#elector.term() !== null && clock.now() >= this.#orphansAt) await this.#disableOrphans()
      } catch (error) {
        logger.warn('Could not write this node’s heartbeat; trying again', { error })
      }
    }
    try {
      await store.cluster.removeNode(nodeId)
    } catch (error) {
      logger.warn('Could not sign off this node', { error })
    }
  }

  async #disableOrphans(): Promise<void> {
    const { store, clock, logger } = this.#context
    const now = clock.now()
    const reason = 'no live node has its handler'
    this.#orphansAt = now + orphanCheckMs
    for (const id of await store.cluster.findOrphans(now - orphanPatienceMs, now)) {
      const job = await store.jobs.changeJob(id, { kind: 'disable', reason }, { now, actor: 'evertick' })
      logger.warn(`Disabled job ${job.name}: ${reason}`, { job: job.name })
    }
  }
}
