/** The library as its user meets it. */
import { hostname } from 'node:os'
import { EvertickError } from '../core/error.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import type { Duration } from '../core/schedule/schedule.ts'
import type { Clock } from '../engine/clock.ts'
import { type EventName, Events, type Listener } from '../engine/events.ts'
import type { Logger } from '../engine/logger.ts'
import { Node } from '../engine/node.ts'
import type { EnqueueOptions, EnqueueResult, JobReference } from '../engine/worker/handler.ts'
import { Measures } from '../observe/measures.ts'
import { openTracing, type Tracing } from '../observe/tracing.ts'
import { type Host, processHost } from '../store/host.ts'
import { openStore, type PayloadLimit } from '../store/open-store.ts'
import type { Store } from '../store/store.ts'
import { openApi, type RunningApi } from './api-server.ts'
import type { AppContext } from './app-context.ts'
import { Leader, Nodes, Queues } from './cluster/cluster.ts'
import { clockOf } from './cluster/database-clock.ts'
import { outdated, prepareSchema } from './cluster/prepare-schema.ts'
import { StopDeadline } from './cluster/stop-deadline.ts'
import { stopSignals } from './cluster/stop-signals.ts'
import { type AnyJob, type Config, type EvertickOptions, parseOptions } from './config/options.ts'
import { version } from './config/version.ts'
import { Executions, Leases } from './execution/executions.ts'
import { payloadWithin } from './execution/payload-within.ts'
import { type EnqueueItem, Producer } from './execution/producer.ts'
import { resultOf } from './execution/result.ts'
import { type NewId, newId } from './ids.ts'
import { applyJob, applyJobs, enableJobs } from './job/apply-jobs.ts'
import { type AuditOptions, type AuditResult, auditLedger } from './job/audit-ledger.ts'
import { builtInHandlers, isBuiltIn } from './job/built-in-handlers.ts'
import type { DefinedJob } from './job/define-job.ts'
import { Definitions } from './job/definitions.ts'
import { Jobs } from './job/jobs.ts'
import { secretsOf } from './job/secrets.ts'
import { type Why, whyOf } from './job/why.ts'
import { Locks } from './locks/locks.ts'
import { AuditLog } from './log/audit-log.ts'
import { givenLogger, withFields } from './log/given-logger.ts'
import { stderrLogger } from './log/stderr-logger.ts'
import { type Metrics, metricsOf } from './reports/metrics.ts'
import { Reports } from './reports/reports.ts'

/** What makes jobs and executions. */
export interface Maker {
  readonly jobs: Jobs
  readonly executions: Executions
  enqueue(job: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult>
}

/** What a node takes from the process around it, beside the clock. Given, where something else plays the process. */
export interface Surroundings {
  readonly newId: NewId
  readonly host: Host
  /** Stands between the node and its store. */
  readonly wrap: (store: Store) => Store
}

const thisProcess: Surroundings = { newId, host: processHost, wrap: (store) => store }

/** What a running handler is waited for at stop. */
const defaultStopMs = 30_000
const aheadMs = 1_500

export class Evertick {
  readonly jobs: Jobs
  readonly executions: Executions
  readonly leader: Leader
  readonly leases: Leases
  readonly locks: Locks
  readonly queues: Queues
  readonly nodes: Nodes
  readonly auditLog: AuditLog
  readonly reports: Reports
  readonly nodeId: string
  readonly #config: Config
  readonly #app: AppContext
  readonly #definitions: Definitions
  readonly #producer: Producer
  readonly #node: Node
  readonly #logger: Logger
  #server: RunningApi | null = null
  readonly #closers = new Set<() => Promise<void>>()
  #starting: Promise<void> | null = null
  #stopping: Promise<void> | null = null
  readonly #stopDeadline: StopDeadline
  readonly #ended = Promise.withResolvers<never>()

  private constructor(
    config: Config & { readonly clock: Clock; readonly payloadLimit: PayloadLimit | undefined },
    given: Store,
    { newId, host }: Surroundings,
    tracing: Tracing | null,
  ) {
    const { clock } = config
    const measures = new Measures(clock)
    const store = measures.wrap(given)
    const own = config.logger === null ? stderrLogger : givenLogger(config.logger)
    const logger = withFields(own, () => ({ nodeId: this.nodeId, ...tracing?.ids() }))
    this.#logger = logger
    this.#stopDeadline = new StopDeadline(host, logger, () => void store.close(0))
    // Only `run` waits for it.
    this.#ended.promise.catch(() => {})
    const events = new Events((error) => logger.error('An event listener threw', { error }))
    this.nodeId =
      config.nodeId ?? `${hostname().slice(0, 150)}:${process.pid}:${newId(clock.now()).slice(-6)}`
    const maxPayloadBytes = payloadWithin(config, logger)
    this.#config = config
    this.#definitions = new Definitions(config.jobs)
    this.#app = {
      nodeId: this.nodeId,
      host: hostname(),
      store,
      clock,
      events,
      measures,
      timezone: config.timezone,
      maxPayloadBytes,
      database: config.database,
      logger,
      onStop: (close) => {
        this.#refuseStopped()
        this.#closers.add(close)
        return () => this.#closers.delete(close)
      },
      rest: host.rest,
      newId,
      secrets: secretsOf(config.database),
      allowCommands: config.allowCommands,
      allowCommandEnv: config.allowCommandEnv,
      jobChanged: () => {
        this.#node.changed()
        this.#node.jobChanged()
      },
      enqueued: () => this.#node.enqueued(),
      setHandler: async (handler) => {
        this.#refuseStopped()
        this.#definitions.setHandler(handler)
        await this.#handlersChanged()
      },
      deleteHandler: async (name) => {
        if (this.#definitions.deleteHandler(name)) await this.#handlersChanged()
      },
    }
    this.#producer = new Producer(this.#app, this.#definitions.jobs)
    const { random, defer } = host
    const traceAttempt = tracing?.attempt ?? null
    const context = { ...this.#app, random, defer, traceAttempt }
    const onOutdated = (schemaVersion: number) => this.#stopBy(outdated(schemaVersion), defaultStopMs)
    // Whatever a handler still does, its end could not be written.
    const onLost = (error: EvertickError) => this.#stopBy(error, 0)
    const options = { ...config, aheadMs, host: hostname(), pid: process.pid, version, onOutdated, onLost }
    this.#node = new Node(context, options, this.#definitions.handlers, (job, input, given) =>
      this.#producer.enqueue(job, input, given),
    )
    this.jobs = new Jobs(this.#app)
    this.executions = new Executions(this.#app)
    this.leader = new Leader(this.#app, config.leader.graceMs, () => this.#node.stepDown())
    this.leases = new Leases(this.#app, random)
    this.locks = new Locks(this.#app)
    this.queues = new Queues(this.#app)
    this.nodes = new Nodes(this.#app)
    this.auditLog = new AuditLog(this.#app)
    this.reports = new Reports(this.#app, this.leader)
  }

  /** Opens the database, and on SQLite brings its schema up to date. Nothing runs before `start()`. */
  static async open(options: EvertickOptions): Promise<Evertick> {
    return await Evertick.openWith(options, {})
  }

  /** @internal For `evertick/testing`, which watches what passes between engine and store, and for the simulation. */
  static async openWith(options: EvertickOptions, given: Partial<Surroundings>): Promise<Evertick> {
    const config = parseOptions(options)
    const around = { ...thisProcess, ...given }
    const context = { newId: around.newId, tzVersion: process.versions.tz ?? 'unknown' }
    const opened = await openStore(config.database, context, { ...config, host: around.host })
    try {
      const clock = config.clock ?? (await clockOf(opened.store))
      await prepareSchema(opened.migrator, config.migrate, clock.now())
      const tracing = await openTracing(config.tracing, version)
      const store = around.wrap(opened.store)
      const { payloadLimit } = opened
      const made = { ...config, clock, payloadLimit }
      return new Evertick(made, tracing?.wrap(store) ?? store, around, tracing)
    } catch (error) {
      await opened.store.close()
      throw error
    }
  }

  /** @internal What the facades of `compat/` share with the library. */
  static appOf(evertick: Evertick): AppContext {
    return evertick.#app
  }

  /** @internal The same as `evertick`, except that what it makes has the ids that it is given. */
  static makerOf(evertick: Evertick, newId: NewId): Maker {
    const app = { ...evertick.#app, newId }
    return {
      jobs: new Jobs(app),
      executions: new Executions(app),
      enqueue: (job, input, options) => evertick.#producer.enqueue(job, input, options, newId),
    }
  }

  /** @internal Rejects once this node has stopped because it could not go on. */
  static endOf(evertick: Evertick): Promise<never> {
    return evertick.#ended.promise
  }

  /** @internal Whether this node, a worker, runs what names this handler. */
  static canRun(evertick: Evertick, handler: string): boolean {
    return evertick.#definitions.handlers.has(handler) || isBuiltIn(handler, evertick.#config)
  }

  /** Writes what code defines, and starts this node's roles. */
  async start(): Promise<void> {
    this.#refuseStopped()
    this.#starting ??= this.#start()
    await this.#starting
  }

  /** Stops claiming at once, waits for handlers up to `timeout` (30 s), aborts them, and ends within 6 s, whatever hangs. */
  async stop({ timeout }: { timeout?: Duration } = {}): Promise<void> {
    const timeoutMs = timeout === undefined ? defaultStopMs : parseDuration(timeout, 'timeout')
    this.#stopping ??= this.#stopDeadline.watch(timeoutMs, this.#stop(timeoutMs))
    await this.#stopping
  }

  /**
   * `start()`, and on SIGINT or SIGTERM a graceful `stop()`; a second signal ends the wait for running handlers.
   * Resolves with the signal that ended it.
   */
  async run(): Promise<NodeJS.Signals> {
    const hurried = [this.#node, this.#stopDeadline]
    const signals = stopSignals(() => hurried.map((part) => part.hurry()))
    try {
      await this.start()
      const signal = await Promise.race([signals.first, this.#ended.promise])
      await this.stop()
      return signal
    } finally {
      signals.off()
    }
  }

  /**
   * Adds a job to this node, in place of one of the same name. A node that runs writes it and can run it at once; another
   * does so at its start.
   */
  async define(job: AnyJob): Promise<void> {
    this.#refuseStopped()
    if (this.#starting === null) return this.#definitions.set(job)
    await this.#starting
    // What the database refuses leaves everything as it was.
    await applyJob(this.#app, job, 'code')
    this.#definitions.set(job)
    await this.#node.handlersChanged()
    await this.#enableOwn()
    this.#app.jobChanged()
  }

  /** This node claims nothing of the job any more. The job itself stays, for other nodes; what runs goes on. */
  async forget(job: JobReference): Promise<void> {
    if (!this.#definitions.delete(typeof job === 'string' ? job : job.name)) return
    if (this.#starting === null || this.#stopping !== null) return
    await this.#starting
    await this.#node.handlersChanged()
  }

  async ping(): Promise<void> {
    await this.#app.store.ping()
  }

  async enqueue<Given, Input>(
    job: DefinedJob<Given, Input>,
    ...rest: undefined extends Given
      ? [input?: Given, options?: EnqueueOptions]
      : [input: Given, options?: EnqueueOptions]
  ): Promise<EnqueueResult>
  async enqueue(job: string, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult>
  async enqueue(job: JobReference, input?: unknown, options?: EnqueueOptions): Promise<EnqueueResult> {
    return await this.#producer.enqueue(job, input, options)
  }

  /** All of them, or, where one is refused, none. */
  async enqueueMany(
    items: readonly EnqueueItem[],
    { tx }: Pick<EnqueueOptions, 'tx'> = {},
  ): Promise<EnqueueResult[]> {
    return await this.#producer.enqueueMany(items, tx)
  }

  /** Why a job or an execution, by name or id, does not run, or how it stands; and the next step. */
  async why(reference: string): Promise<Why> {
    return await whyOf(this.#app, reference)
  }

  /** The result of an execution, once it is final. */
  async result(id: string, { timeout = '30s' }: { timeout?: Duration } = {}): Promise<unknown> {
    return await resultOf(this.#app, id, parseDuration(timeout, 'timeout'), () => this.#starting !== null)
  }

  /** Proves on the live database that every due tick is accounted for exactly once. */
  async audit(options: AuditOptions = {}): Promise<AuditResult> {
    return await auditLedger(this.#app, options)
  }

  async metrics(): Promise<Metrics> {
    return await metricsOf(this.#app)
  }

  /** What this node tells; returns the function that takes the listener off again. */
  on<Name extends EventName>(event: Name, listener: Listener<Name>): () => void {
    return this.#app.events.on(event, listener)
  }

  /** Where the API of this node listens; null without the role `api`. */
  get url(): string | null {
    return this.#server?.url ?? null
  }

  /** Executions whose handler is under way on this node. */
  get running(): number {
    return this.#node.running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #start(): Promise<void> {
    try {
      this.#learnBuiltIn()
      await applyJobs(this.#app, [...this.#definitions.jobs.values()], 'code')
      await this.#enableOwn()
      const { api, database } = this.#config
      // First: a port that is taken must not leave a node behind that runs.
      if (api !== null) this.#server = await openApi(this, database, api, this.#logger)
      await this.#node.start()
    } catch (error) {
      await this.#server?.close()
      this.#server = null
      this.#starting = null
      throw error
    }
  }

  /** Only a node that works needs the programs that it is allowed to run. */
  #learnBuiltIn(): void {
    if (!this.#config.roles.includes('worker')) return
    for (const handler of builtInHandlers({ ...this.#config, ...this.#app }))
      this.#definitions.setHandler(handler)
  }

  /** A node that does not run says what it can do when it starts. */
  async #handlersChanged(): Promise<void> {
    if (this.#starting === null || this.#stopping !== null) return
    await this.#starting
    await this.#node.handlersChanged()
    await this.#enableOwn()
    this.#app.jobChanged()
  }

  /** Jobs that were disabled for want of a handler, and that this node can run. */
  async #enableOwn(): Promise<void> {
    if (this.#config.roles.includes('worker')) await enableJobs(this.#app, this.#definitions.handlers)
  }

  async #stop(timeoutMs: number): Promise<void> {
    // A start that is under way ends first, or its parts would outlive the stop; its own caller hears how it ended.
    await Promise.allSettled([this.#starting])
    const node = this.#starting === null ? null : this.#node.stop(timeoutMs)
    await Promise.all([this.#server?.close(), node, ...[...this.#closers].map((close) => close())])
    await this.#app.store.close()
  }

  /** This node cannot go on: it says why, stops, and lets `run` fail. */
  #stopBy(why: EvertickError, timeout: number): void {
    if (this.#stopping !== null) return
    this.#logger.error(why.message, { next: why.next })
    const end = () => this.#ended.reject(why)
    this.stop({ timeout }).then(end, end)
  }

  #refuseStopped(): void {
    if (this.#stopping === null) return
    throw new EvertickError('not_running', 'This Evertick has been stopped.', {
      next: 'Open a new one with Evertick.open().',
    })
  }
}
