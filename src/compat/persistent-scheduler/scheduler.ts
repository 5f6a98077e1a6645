/**
 * `Scheduler`: crons in one process, under the names of the document that `PersistentScheduler` comes from. It only
 * translates: the engine decides what is due, what overlaps and what runs.
 */

import { contextOf } from '../../app/app-context.ts'
import { systemClock } from '../../app/cluster/system-clock.ts'
import { EvertickError } from '../../core/error.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'
import { Turns } from '../turns.ts'
import { engineJob } from './engine-job.ts'
import { factsOf, JobBook } from './job-book.ts'
import { type Memory, NoMemory, type RestoredJob } from './memory.ts'
import { missedRuns } from './missed-runs.ts'
import { ScheduledJob } from './scheduled-job.ts'
import {
  type CatchUpDefaults,
  checkSchedulerConfig,
  parseJob,
  type ScheduleJobConfig,
  type SchedulerConfig,
} from './scheduler-config.ts'
import { schedulerLogger } from './scheduler-logger.ts'

/** What tells a scheduler that keeps its state from one that does not. */
export interface Keeping {
  readonly memory: Memory
  readonly defaults: CatchUpDefaults
}

export class Scheduler {
  /** @internal */
  protected readonly book = new JobBook()
  /** @internal */
  protected readonly logger: Logger
  readonly #config: SchedulerConfig
  readonly #keeping: Keeping | null
  readonly #memory: Memory
  readonly #node: OwnNode
  readonly #turns = new Turns()
  #opening: Promise<Evertick> | null = null
  #closing: Promise<void> | null = null

  /** Does nothing before `initialize()` or the first `schedule()`. */
  constructor(config: SchedulerConfig = {}, keeping: Keeping | null = null) {
    if (keeping === null) checkSchedulerConfig(config)
    const { logger, clock } = config
    this.#config = config
    this.#keeping = keeping
    this.#memory = keeping?.memory ?? new NoMemory()
    this.logger = logger ?? schedulerLogger
    const around = { ...(clock === undefined ? {} : { clock }), ...(logger === undefined ? {} : { logger }) }
    this.#node = new OwnNode(() => ({ ...this.#memory.node, ...around }), this.#memory.around)
  }

  /** The node behind it: for `jobs.explain`, `audit` and everything else. Initializes. */
  get evertick(): Promise<Evertick> {
    return this.#closing === null ? this.#opened() : Promise.reject(hasEnded())
  }

  /** Loads the state. Fine to call twice; `schedule` calls it where nobody did. */
  async initialize(): Promise<void> {
    await this.evertick
  }

  /** Runs the task by its cron from now on. A name that is scheduled already gets the new cron, task and options. */
  async schedule(config: ScheduleJobConfig): Promise<ScheduledJob> {
    const given = parseJob(config, this.#keeping?.defaults ?? null)
    if (this.#closing !== null) throw hasEnded()
    return await this.#turns.take(async () => {
      const evertick = await this.#opened()
      const app = contextOf(evertick)
      const restored = await this.#memory.restore(given)
      const settledAt = app.clock.now()
      this.book.put({ enabled: true, ...restored.job }, restored.figures, true)
      await evertick.define(engineJob(restored.job, this.#config, this.logger))
      await this.#look(given.name)
      await this.#tellOfMissed(evertick, restored, settledAt)
      await this.#memory.added()
      return new ScheduledJob(given.name, this.book)
    })
  }

  /** Ticks from now on are skipped, until `resumeJob`, also over a restart. What runs goes on. */
  pauseJob(name: string): Promise<void> {
    this.book.change({ name, enabled: false })
    return this.#act(name, async (evertick) => {
      const { state } = await evertick.jobs.get(name)
      if (state !== 'paused') await evertick.jobs.pause(name, { actor: 'code' })
    })
  }

  resumeJob(name: string): Promise<void> {
    this.book.change({ name, enabled: true })
    return this.#act(name, async (evertick) => {
      const { state } = await evertick.jobs.get(name)
      if (state === 'paused') await evertick.jobs.resume(name, { actor: 'code' })
    })
  }

  /** Removes the job from the scheduler and from its state. */
  stopJob(name: string): Promise<void> {
    const known = this.book.state(name) !== undefined
    const mine = this.book.isMine(name)
    const ended = this.#closing !== null
    this.book.remove(name)
    return this.#turns.logged(this.logger, `stop ${name}`, async () => {
      if (ended) throw hasEnded()
      const evertick = await this.#opened()
      const dropped = await this.#memory.drop(name)
      if (!known && !dropped) throw notScheduled(name)
      if (mine) await evertick.forget(name)
      if (await contextOf(evertick).store.jobs.findJob(name))
        await evertick.jobs.delete(name, { actor: 'code' })
      this.book.remove(name)
      await this.#memory.saved()
    })
  }

  getJob(name: string): ScheduledJob | undefined {
    return this.book.isMine(name) ? new ScheduledJob(name, this.book) : undefined
  }

  /** The jobs that this process has scheduled, paused ones too. */
  listJobs(): ScheduledJob[] {
    return this.book.names({ mine: true }).map((name) => new ScheduledJob(name, this.book))
  }

  /** Waits for running tasks, up to `timeout` (30 s), keeps the state, and ends. */
  async shutdown({ timeout = '30s' }: { timeout?: Duration } = {}): Promise<void> {
    this.#closing ??= this.#close(timeout)
    await this.#closing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown()
  }

  /** @internal An action on one job: in its turn, then written down. Its failure is logged, awaited or not. */
  protected act(name: string, action: (evertick: Evertick) => Promise<void>): Promise<void> {
    return this.#act(name, action)
  }

  /** @internal */
  protected async saved(): Promise<void> {
    await this.evertick
    await this.#memory.saved()
  }

  #act(name: string, action: (evertick: Evertick) => Promise<void>): Promise<void> {
    const ended = this.#closing !== null
    return this.#turns.logged(this.logger, `change ${name}`, async () => {
      if (ended) throw hasEnded()
      const evertick = await this.#opened()
      if (!this.book.isMine(name)) throw notScheduled(name)
      try {
        await action(evertick)
      } finally {
        await this.#look(name)
      }
      await this.#memory.saved()
    })
  }

  /** Brings the book up to what the database says. */
  async #look(name: string): Promise<void> {
    const { store } = contextOf(await this.#opened())
    const job = await store.jobs.findJob(name)
    if (job !== null) this.book.change(factsOf(job))
  }

  async #tellOfMissed(evertick: Evertick, { job, missedFrom }: RestoredJob, now: number): Promise<void> {
    if (missedFrom === null || missedFrom > now) return
    const { store } = contextOf(evertick)
    const told = await missedRuns(evertick, store, { job: job.name, from: missedFrom, until: now })
    if (told !== null) this.logger.info(told)
  }

  #opened(): Promise<Evertick> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<Evertick> {
    const memory = this.#memory
    await memory.open(this.book, (this.#config.clock ?? systemClock).now())
    try {
      const evertick = await this.#node.started()
      const app = contextOf(evertick)
      this.book.follow(evertick, app.clock, () => memory.changed())
      for (const event of ['job:updated', 'job:paused', 'job:resumed'] as const) {
        evertick.on(event, ({ job }) => void this.#look(job).then(() => memory.changed(), ignoreError))
      }
      evertick.on('job:deleted', ({ job }) => {
        this.book.remove(job)
        memory.changed()
      })
      await memory.start(app)
      return evertick
    } catch (error) {
      await this.#node.stop()
      await memory.close()
      throw error
    }
  }

  async #close(timeout: Duration): Promise<void> {
    await this.#turns.idle()
    const [opened] = await Promise.allSettled([this.#opening])
    if (opened.status === 'rejected' || opened.value === null) return
    await this.#memory.stopping()
    await this.#node.stop({ timeout })
    await this.#memory.close()
  }
}

/** A failed look is not reported: the next change causes another one. */
function ignoreError(): void {}

function notScheduled(name: string): EvertickError {
  return new EvertickError('job_not_found', `No job is named "${name}".`, {
    next: 'Schedule it first; listJobs() says what there is.',
  })
}

function hasEnded(): EvertickError {
  return new EvertickError('not_running', 'This scheduler has been shut down.', { next: 'Make a new one.' })
}
