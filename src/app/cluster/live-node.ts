/**
 * This process's node: the context that everything above shares, the jobs that code defines, and the engine that runs them,
 * from its start to its stop.
 */
import { hostname } from 'node:os'
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import { Events } from '../../engine/events.ts'
import { Node } from '../../engine/node.ts'
import type { JobReference } from '../../engine/worker/handler.ts'
import { Isolation } from '../../isolate/isolation.ts'
import { Measures } from '../../observe/measures.ts'
import { openTracing, type Tracing } from '../../observe/tracing.ts'
import { Watchdog } from '../../observe/watchdog.ts'
import { type Host, processHost } from '../../store/host.ts'
import { openStore, type PayloadLimit } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { archiveInto } from '../archive/archive-folder.ts'
import type { ApiConfig } from '../config/api-config.ts'
import { type Config, parseOptions } from '../config/config.ts'
import { inheritedEnvironment } from '../config/environment.ts'
import type { AnyJob, EvertickOptions } from '../config/options.ts'
import { version } from '../config/version.ts'
import { payloadWithin } from '../execution/payload-within.ts'
import { Producer } from '../execution/producer.ts'
import { builtInHandlers, isBuiltIn } from '../handler/built-in-handlers.ts'
import { type NewId, newId } from '../ids.ts'
import { applyJob, applyJobs, enableJobs } from '../job/apply-jobs.ts'
import { Definitions } from '../job/definitions.ts'
import { givenLogger, withFields } from '../log/given-logger.ts'
import { stderrLogger } from '../log/stderr-logger.ts'
import { openSecret } from '../vault/open-secrets.ts'
import { secretsOf } from '../vault/secrets.ts'
import { clockOf } from './database-clock.ts'
import { outdated, prepareSchema } from './prepare-schema.ts'
import { StopDeadline } from './stop-deadline.ts'
import { stopSignals } from './stop-signals.ts'

/** What a node takes from its process, beside the clock. Tests and the simulation pass their own. */
export interface Surroundings {
  readonly newId: NewId
  readonly host: Host
  /** Wraps the store of the node. */
  readonly wrap: (store: Store) => Store
}

/** The API of this node, on its port. */
export interface RunningApi {
  readonly url: string
  close(): Promise<void>
}

interface Opened {
  readonly config: Config
  readonly clock: Clock
  readonly payloadLimit: PayloadLimit | undefined
  readonly store: Store
  readonly around: Surroundings
  readonly tracing: Tracing | null
}

const thisProcess: Surroundings = { newId, host: processHost, wrap: (store) => store }
const aheadMs = 1_500

/** How long a stop waits for running handlers. */
export const defaultStopMs = 30_000

export class LiveNode {
  readonly app: AppContext
  readonly producer: Producer
  readonly random: Host['random']
  readonly #config: Config
  readonly #isolation: Isolation
  readonly #watchdog: Watchdog | null
  readonly #definitions: Definitions
  readonly #node: Node
  readonly #closers = new Set<() => Promise<void>>()
  readonly #stopDeadline: StopDeadline
  readonly #ended = Promise.withResolvers<never>()
  #api: RunningApi | null = null
  #starting: Promise<void> | null = null
  #stopping: Promise<void> | null = null

  private constructor({ config, clock, payloadLimit, store: given, around, tracing }: Opened) {
    const { host, newId } = around
    const measures = new Measures(clock)
    const store = measures.wrap(given)
    const nodeId =
      config.nodeId ?? `${hostname().slice(0, 150)}:${process.pid}:${newId(clock.now()).slice(-6)}`
    const own = config.logger === null ? stderrLogger : givenLogger(config.logger)
    const logger = withFields(own, () => ({ nodeId, ...tracing?.ids() }))
    this.#stopDeadline = new StopDeadline(host, logger, () => void store.close(0))
    // Only `run` and the command line wait for it.
    this.#ended.promise.catch(() => {})
    this.#config = config
    this.#isolation = new Isolation(clock, inheritedEnvironment)
    this.#definitions = new Definitions(config.jobs, this.#isolation)
    this.app = {
      nodeId,
      host: hostname(),
      store,
      clock,
      events: new Events((error) => logger.error('An event listener threw', { error })),
      measures,
      timezone: config.timezone,
      maxPayloadBytes: payloadWithin({ ...config, payloadLimit }, logger),
      database: config.database,
      logger,
      onStop: (close) => {
        this.#refuseStopped()
        this.#closers.add(close)
        return () => this.#closers.delete(close)
      },
      ended: this.#ended.promise,
      rest: host.rest,
      newId,
      secrets: secretsOf(config.database),
      allowCommands: config.allowCommands,
      allowCommandEnv: config.allowCommandEnv,
      allowPrivateHosts: config.allowPrivateHosts,
      smtp: config.smtp,
      defined: this.#definitions.jobs,
      jobChanged: () => {
        this.#node.changed()
        this.#node.jobChanged()
      },
      enqueued: () => this.#node.enqueued(),
      offerSlot: (queue) => this.#node.offerSlot(queue),
      setHandler: async (handler) => {
        this.#refuseStopped()
        this.#definitions.setHandler(handler)
        await this.#handlersChanged()
      },
      deleteHandler: async (name) => {
        if (this.#definitions.deleteHandler(name)) await this.#handlersChanged()
      },
      canRun: (handler) => this.#definitions.handlers.has(handler) || isBuiltIn(handler, config),
    }
    this.producer = new Producer(this.app)
    this.random = host.random
    const { random, defer } = host
    // On a clock of its user's making, seconds pass in no time.
    const isWatched = config.clock === null && config.roles.includes('worker')
    this.#watchdog = isWatched ? new Watchdog(logger) : null
    const traces = { traceAttempt: tracing?.attempt ?? null, traceSteps: tracing?.steps ?? null }
    const observers = { ...traces, pulse: this.#watchdog }
    const vault = { openSecret: (name: string) => openSecret(name, this.app) }
    const context = { ...this.app, ...vault, random, defer, ...observers }
    const onOutdated = (schemaVersion: number) => this.#stopBy(outdated(schemaVersion), defaultStopMs)
    // Whatever a handler still does, its end could not be written.
    const onLost = (error: EvertickError) => this.#stopBy(error, 0)
    const archive = config.archive === null ? null : archiveInto(config.archive)
    const options = {
      ...config,
      archive,
      aheadMs,
      host: hostname(),
      pid: process.pid,
      version,
      onOutdated,
      onLost,
    }
    this.#node = new Node(context, options, this.#definitions.handlers, (job, input, given) =>
      this.producer.enqueue(job, input, given),
    )
  }

  static async open(options: EvertickOptions, given: Partial<Surroundings>): Promise<LiveNode> {
    const config = parseOptions(options)
    const around = { ...thisProcess, ...given }
    const context = { newId: around.newId, tzVersion: process.versions.tz ?? 'unknown' }
    const opened = await openStore(config.database, context, { ...config, host: around.host })
    try {
      const clock = config.clock ?? (await clockOf(opened.store))
      await prepareSchema(opened.migrator, config.migrate, clock.now())
      const tracing = await openTracing(config.tracing, version)
      const wrapped = around.wrap(opened.store)
      const store = tracing?.wrap(wrapped) ?? wrapped
      return new LiveNode({ config, clock, payloadLimit: opened.payloadLimit, store, around, tracing })
    } catch (error) {
      await opened.store.close()
      throw error
    }
  }

  /** How long the gap after a term may be before it is reported. */
  get graceMs(): number {
    return this.#config.leader.graceMs
  }

  get hasStarted(): boolean {
    return this.#starting !== null
  }

  get running(): number {
    return this.#node.running
  }

  get url(): string | null {
    return this.#api?.url ?? null
  }

  stepDown(): Promise<boolean> {
    return this.#node.stepDown()
  }

  /** `openApi` is asked where this node has the role `api`. */
  async start(openApi: (config: ApiConfig) => Promise<RunningApi>): Promise<void> {
    this.#refuseStopped()
    this.#starting ??= this.#start(openApi)
    await this.#starting
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopping ??= this.#stopDeadline.watch(timeoutMs, this.#stop(timeoutMs))
    await this.#stopping
  }

  /** Starts, and stops with a signal. Fails if the node could not go on. */
  async run(start: () => Promise<void>, stop: () => Promise<void>): Promise<NodeJS.Signals> {
    const hurried = [this.#node, this.#stopDeadline]
    const signals = stopSignals(() => hurried.map((part) => part.hurry()))
    try {
      await start()
      const signal = await Promise.race([signals.first, this.#ended.promise])
      await stop()
      return signal
    } finally {
      signals.off()
    }
  }

  async define(job: AnyJob): Promise<void> {
    this.#refuseStopped()
    if (this.#starting === null) return this.#definitions.set(job)
    await this.#starting
    // If the database refuses it, everything stays as it was.
    await applyJob(this.app, job, 'code')
    this.#definitions.set(job)
    await this.#handlersChanged()
  }

  async forget(job: JobReference): Promise<void> {
    if (!this.#definitions.delete(typeof job === 'string' ? job : job.name)) return
    if (this.#starting === null || this.#stopping !== null) return
    await this.#starting
    await this.#node.handlersChanged()
  }

  async #start(openApi: (config: ApiConfig) => Promise<RunningApi>): Promise<void> {
    try {
      this.#learnBuiltIn()
      await applyJobs(this.app, [...this.#definitions.jobs.values()], 'code')
      await this.#enableOwn()
      // First: if the port is taken, no node must keep running.
      if (this.#config.api !== null) this.#api = await openApi(this.#config.api)
      this.#watchdog?.start()
      await this.#node.start()
    } catch (error) {
      await this.#api?.close()
      this.#api = null
      this.#starting = null
      throw error
    }
  }

  /** Only a node that works needs the programs that it is allowed to run. */
  #learnBuiltIn(): void {
    if (!this.#config.roles.includes('worker')) return
    for (const handler of builtInHandlers({ ...this.#config, ...this.app, random: this.random }, this.app))
      this.#definitions.setHandler(handler)
  }

  /** A node that does not run says what it can do when it starts. */
  async #handlersChanged(): Promise<void> {
    if (this.#starting === null || this.#stopping !== null) return
    await this.#starting
    await this.#node.handlersChanged()
    await this.#enableOwn()
    this.app.jobChanged()
  }

  /** Enables jobs that had no handler and that this node can run. */
  async #enableOwn(): Promise<void> {
    if (this.#config.roles.includes('worker')) await enableJobs(this.app, this.#definitions.handlers)
  }

  async #stop(timeoutMs: number): Promise<void> {
    // A start that is under way ends first, or its parts would outlive the stop; its own caller hears how it ended.
    await Promise.allSettled([this.#starting])
    const node = this.#starting === null ? null : this.#node.stop(timeoutMs)
    await Promise.all([this.#api?.close(), node, ...[...this.#closers].map((close) => close())])
    await this.#isolation.close()
    await this.#watchdog?.close()
    await this.app.store.close()
  }

  /** This node cannot go on: it says why, stops, and lets `run` fail. */
  #stopBy(why: EvertickError, timeoutMs: number): void {
    if (this.#stopping !== null) return
    this.app.logger.error(why.message, { next: why.next })
    const end = () => this.#ended.reject(why)
    this.stop(timeoutMs).then(end, end)
  }

  /** For what must not happen under a node that works. */
  refuseStarted(what: string): void {
    if (this.#starting === null) return
    throw new EvertickError('database_in_use', `This Evertick was started, and cannot ${what}.`, {
      next: 'Stop it, open another one, and do so before its start.',
    })
  }

  #refuseStopped(): void {
    if (this.#stopping === null) return
    throw new EvertickError('not_running', 'This Evertick has been stopped.', {
      next: 'Open a new one with Evertick.open().',
    })
  }
}
