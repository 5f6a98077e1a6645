/**
 * The nodes behind the adapter. Named jobs live in the database, and are known again after a restart. Jobs without a
 * name cannot be: they live in memory, and end with the process.
 */

import { z } from 'zod'
import { contextOf } from '../../app/app-context.ts'
import { systemClock } from '../../app/cluster/system-clock.ts'
import { checked } from '../../app/config/checked.ts'
import { databaseFromEnvironmentOr } from '../../app/config/environment.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import type { DefinedJob } from '../../app/job/define-job.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { EvertickError } from '../../core/error.ts'
import type { Job as EngineJob } from '../../core/job/job.ts'
import type { CatchUpOptions } from '../../core/job/options.ts'
import type { CatchUpPolicy } from '../../core/job/policies.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Evertick } from '../../evertick.ts'
import { makeDataFolder } from '../../store/private-files.ts'
import { OwnNode } from '../own-node.ts'
import { Turns } from '../turns.ts'

export interface NodeScheduleOptions {
  /** @default EVERTICK_DATABASE_URL, else DATABASE_URL, else 'sqlite:.evertick/node-schedule.db' */
  readonly database?: string
  /** What becomes of invocations that were missed while no process ran. @default 'latest' */
  readonly catchUp?: CatchUpPolicy | CatchUpOptions
  /** @default the host's clock */
  readonly clock?: Clock
  /** @default warnings and errors to standard error */
  readonly logger?: Logger
}

/** What a node must know of a job. */
export interface KeptJob {
  readonly engineName: string
  readonly named: boolean
}

const folder = '.evertick'
const fallback = `sqlite:${folder}/node-schedule.db`
/** node-schedule waits for running jobs for ever; this is the longest timer. */
const patience = '24d'
const anything = z.unknown().optional()
const shape = {
  database: z.string().min(1).optional(),
  catchUp: anything,
  clock: anything,
  logger: anything,
}

export class Keeper {
  #options: NodeScheduleOptions = {}
  #kept = new OwnNode(() => this.#nodeOptions(this.#database()))
  #passing = new OwnNode(() => ({
    ...this.#nodeOptions('sqlite::memory:'),
    leader: { lease: '3650d', heartbeat: '3h' },
  }))
  readonly #turns = new Turns()
  readonly #present = new Set<string>()
  #used = false

  configure(options: NodeScheduleOptions): void {
    checked(z.strictObject(shape), options, 'invalid_config', 'configure', Object.keys(shape))
    if (this.#used) {
      throw new EvertickError(
        'invalid_config',
        'configure() was called too late: a job has already been scheduled.',
        {
          next: 'Call it before the first scheduleJob(), or after gracefulShutdown().',
        },
      )
    }
    this.#options = options
  }

  get clock(): Clock {
    return this.#options.clock ?? systemClock
  }

  get logger(): Logger {
    return this.#options.logger ?? stderrLogger
  }

  get catchUp(): CatchUpPolicy | CatchUpOptions {
    return this.#options.catchUp ?? 'latest'
  }

  /** Writes the job, in its turn. `make` is given the job as it is kept, and answers null to leave it alone. */
  keep(job: KeptJob, make: (kept: EngineJob | null) => DefinedJob | null): Promise<void> {
    this.#used = true
    this.#present.add(job.engineName)
    return this.#turns.logged(this.logger, `schedule ${job.engineName}`, async () => {
      const evertick = await this.#nodeOf(job).started()
      const made = make(await contextOf(evertick).store.jobs.findJob(job.engineName))
      if (made === null) this.#present.delete(job.engineName)
      else await evertick.define(made)
    })
  }

  change(job: KeptJob, change: (evertick: Evertick) => Promise<unknown>): Promise<void> {
    return this.#turns.logged(this.logger, `change ${job.engineName}`, async () => {
      await change(await this.#nodeOf(job).started())
    })
  }

  /** The job is gone, here and in the database. */
  drop(job: KeptJob): Promise<void> {
    this.#present.delete(job.engineName)
    return this.#turns.logged(this.logger, `cancel ${job.engineName}`, async () => {
      const evertick = await this.#nodeOf(job).started()
      if (this.#present.has(job.engineName)) return
      await evertick.forget(job.engineName)
      const written = await contextOf(evertick).store.jobs.findJob(job.engineName)
      if (written !== null) await evertick.jobs.delete(job.engineName, { actor: 'code' })
      await this.#stopIfIdle()
    })
  }

  /** The job has run its one time. It stays in the database, which knows that it ran. */
  done(job: KeptJob): Promise<void> {
    this.#present.delete(job.engineName)
    return this.#turns.logged(this.logger, `end ${job.engineName}`, () => this.#stopIfIdle())
  }

  /** Resolves when everything asked for so far is in the database. */
  async ready(): Promise<void> {
    await this.#turns.idle()
  }

  async evertick(): Promise<Evertick> {
    this.#used = true
    return await this.#kept.started()
  }

  /** Waits for what runs; named jobs stay in the database, for the next process. */
  async stop(): Promise<void> {
    this.#present.clear()
    await this.#turns.take(() => this.#stop())
  }

  /** A script whose jobs are all done ends by itself, as with node-schedule. */
  async #stopIfIdle(): Promise<void> {
    if (this.#present.size === 0) await this.#stop()
  }

  async #stop(): Promise<void> {
    await Promise.all([this.#kept.stop({ timeout: patience }), this.#passing.stop({ timeout: patience })])
    this.#used = this.#present.size > 0
  }

  #nodeOf({ named }: KeptJob): OwnNode {
    return named ? this.#kept : this.#passing
  }

  #database(): string {
    if (this.#options.database !== undefined) return this.#options.database
    const database = databaseFromEnvironmentOr(fallback)
    if (database === fallback) makeDataFolder(folder)
    return database
  }

  #nodeOptions(database: string): EvertickOptions {
    const { clock, logger } = this.#options
    return {
      database,
      migrate: true,
      queues: { default: { concurrency: 1_000 } },
      ...(clock === undefined ? {} : { clock }),
      ...(logger === undefined ? {} : { logger }),
    }
  }
}

/** One for the process, as node-schedule has it. It does nothing before it is used. */
export const keeper = new Keeper()
