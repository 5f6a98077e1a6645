/** The library's main class. */
import type { Writable } from 'node:stream'
import { Alerts } from './app/alerts/alerts.ts'
import { type AppContext, keepContext } from './app/app-context.ts'
import { type RestoreOptions, type RestoreResult, restoreBackup } from './app/backup/restore-backup.ts'
import {
  type BackupFileOptions,
  type BackupOptions,
  type BackupResult,
  writeBackup,
  writeBackupFile,
} from './app/backup/write-backup.ts'
import { Leader, Nodes, Queues } from './app/cluster/cluster.ts'
import { defaultStopMs, LiveNode, type Surroundings } from './app/cluster/live-node.ts'
import type { AnyJob, EvertickOptions } from './app/config/options.ts'
import { Executions, Leases } from './app/execution/executions.ts'
import type { EnqueueItem } from './app/execution/producer.ts'
import { resultOf } from './app/execution/result.ts'
import { type SignalOptions, signal } from './app/execution/steps.ts'
import { type AuditOptions, type AuditResult, auditLedger } from './app/job/audit-ledger.ts'
import type { DefinedJob } from './app/job/define-job.ts'
import { Jobs } from './app/job/jobs.ts'
import { type Why, whyOf } from './app/job/why.ts'
import { Locks } from './app/locks/locks.ts'
import { AuditLog } from './app/log/audit-log.ts'
import { type Metrics, metricsOf } from './app/reports/metrics.ts'
import { Reports } from './app/reports/reports.ts'
import { Vault } from './app/vault/vault.ts'
import { Webhooks } from './app/webhook/webhooks.ts'
import { parseDuration } from './core/schedule/duration.ts'
import type { Duration } from './core/schedule/schedule.ts'
import type { EventName, Listener } from './engine/events.ts'
import type { EnqueueOptions, EnqueueResult, JobReference } from './engine/worker/handler.ts'
import type { Signalled, SignalTarget } from './store/store.ts'

export class Evertick {
  readonly jobs: Jobs
  readonly executions: Executions
  readonly leader: Leader
  readonly leases: Leases
  readonly locks: Locks
  readonly queues: Queues
  readonly nodes: Nodes
  readonly alerts: Alerts
  readonly auditLog: AuditLog
  readonly reports: Reports
  readonly secrets: Vault
  readonly webhooks: Webhooks
  readonly nodeId: string
  readonly #app: AppContext
  readonly #live: LiveNode

  private constructor(live: LiveNode) {
    const { app } = live
    this.#live = live
    this.#app = app
    this.nodeId = app.nodeId
    this.jobs = new Jobs(app)
    this.executions = new Executions(app)
    this.leader = new Leader(app, live.graceMs, () => live.stepDown())
    this.leases = new Leases(app, live.random)
    this.locks = new Locks(app)
    this.queues = new Queues(app)
    this.nodes = new Nodes(app)
    this.alerts = new Alerts(app)
    this.auditLog = new AuditLog(app)
    this.reports = new Reports(app, this.leader)
    this.secrets = new Vault(app)
    this.webhooks = new Webhooks(app)
    keepContext(this, app)
  }

  /** Opens the database, and on SQLite brings its schema up to date. Nothing runs before `start()`. */
  static async open(options: EvertickOptions): Promise<Evertick> {
    return await Evertick.openWith(options, {})
  }

  /** @internal For `evertick/testing`, which watches what passes between engine and store, and for the simulation. */
  static async openWith(options: EvertickOptions, given: Partial<Surroundings>): Promise<Evertick> {
    return new Evertick(await LiveNode.open(options, given))
  }

  /** Writes what code defines, and starts this node's roles. */
  async start(): Promise<void> {
    await this.#live.start(async (config) => {
      // Loaded only for the role `api`: most nodes have no port.
      const { serveApi } = await import('./http/serve.ts')
      return await serveApi(this, this.#app, config)
    })
  }

  /** Stops claiming at once, waits for handlers up to `timeout` (30 s), aborts them, and ends within 6 s, whatever hangs. */
  async stop({ timeout }: { timeout?: Duration } = {}): Promise<void> {
    await this.#live.stop(timeout === undefined ? defaultStopMs : parseDuration(timeout, 'timeout'))
  }

  /**
   * `start()`, and on SIGINT or SIGTERM a graceful `stop()`; a second signal ends the wait for running handlers.
   * Resolves with the signal that ended it.
   */
  async run(): Promise<NodeJS.Signals> {
    return await this.#live.run(
      () => this.start(),
      () => this.stop(),
    )
  }

  /**
   * Adds a job to this node, in place of one of the same name. A node that runs writes it and can run it at once; another
   * does so at its start.
   */
  async define(job: AnyJob): Promise<void> {
    await this.#live.define(job)
  }

  /** This node stops claiming executions of the job. The job stays for other nodes, and running executions go on. */
  async forget(job: JobReference): Promise<void> {
    await this.#live.forget(job)
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
    return await this.#live.producer.enqueue(job, input, options)
  }

  /** All of them, or none if one is refused. */
  async enqueueMany(
    items: readonly EnqueueItem[],
    { tx }: Pick<EnqueueOptions, 'tx'> = {},
  ): Promise<EnqueueResult[]> {
    return await this.#live.producer.enqueueMany(items, tx)
  }

  /**
   * Answers a wait of an execution, by its id, or of the unfinished one of a job by its unique key; also before it waits.
   * Refused where that wait is over, or the execution has ended.
   */
  async signal(
    target: SignalTarget,
    name: string,
    payload?: unknown,
    options?: SignalOptions,
  ): Promise<Signalled> {
    return await signal(this.#app, target, name, payload, options)
  }

  /** Why a job or an execution, by name or id, does not run, or how it stands; and the next step. */
  async why(reference: string): Promise<Why> {
    return await whyOf(this.#app, reference)
  }

  /** The result of an execution, once it is final. */
  async result(id: string, { timeout = '30s' }: { timeout?: Duration } = {}): Promise<unknown> {
    return await resultOf(this.#app, id, parseDuration(timeout, 'timeout'), () => this.#live.hasStarted)
  }

  /** Proves on the live database that every due tick is accounted for exactly once. */
  async audit(options: AuditOptions = {}): Promise<AuditResult> {
    return await auditLedger(this.#app, options)
  }

  /** Writes all of the database, as it is at this moment, to a file of that name or to a stream. Nodes may go on. */
  async backup(to: string, options?: BackupFileOptions): Promise<BackupResult>
  async backup(to: Writable, options?: BackupOptions): Promise<BackupResult>
  async backup(to: string | Writable, options: BackupFileOptions = {}): Promise<BackupResult> {
    const { store, clock } = this.#app
    return typeof to === 'string'
      ? await writeBackupFile(store, clock.now(), to, options)
      : await writeBackup(store, clock.now(), to, options)
  }

  /**
   * Replaces what is in the database by a backup, or changes nothing: the file is checked whole before the first write. No
   * node may work on the database meanwhile, this one neither.
   */
  async restore(path: string, options: RestoreOptions = {}): Promise<RestoreResult> {
    this.#live.refuseStarted('restore')
    return await restoreBackup(this.#app, path, options)
  }

  async metrics(): Promise<Metrics> {
    return await metricsOf(this.#app)
  }

  /** What this node tells; returns the function that unsubscribes. */
  on<Name extends EventName>(event: Name, listener: Listener<Name>): () => void {
    return this.#app.events.on(event, listener)
  }

  /** Where the API of this node listens; null without the role `api`. */
  get url(): string | null {
    return this.#live.url
  }

  /** Executions whose handler is under way on this node. */
  get running(): number {
    return this.#live.running
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}
