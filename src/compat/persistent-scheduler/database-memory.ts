/** State in a database: every process on it sees the same jobs, and nothing is loaded or saved as a whole. */
import type { AppContext } from '../../app/app-context.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { unfinishedStates } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Store } from '../../store/store.ts'
import { schedulerTag } from './engine-job.ts'
import { factsOf, type JobBook, type JobFigures } from './job-book.ts'
import { hostTimezone, type Memory, type RestoredJob, sharedOptions, zoneOf } from './memory.ts'
import type { GivenJob } from './scheduler-config.ts'
import { StateSaver } from './state-saver.ts'

const allOf = 1_000_000

export class DatabaseMemory implements Memory {
  readonly node: EvertickOptions
  readonly around = {}
  readonly #logger: Logger
  readonly #readIntervalMs: number
  #book: JobBook | null = null
  #app: AppContext | null = null
  #reader: StateSaver | null = null

  constructor(database: string, readIntervalMs: number, logger: Logger) {
    this.node = { ...sharedOptions, database, migrate: true }
    this.#readIntervalMs = readIntervalMs
    this.#logger = logger
  }

  async open(book: JobBook): Promise<void> {
    this.#book = book
  }

  async start(app: AppContext): Promise<void> {
    this.#app = app
    await this.#read()
    // What this process does it knows by itself; this is how it hears of the others.
    this.#reader = new StateSaver(app.clock, this.#readIntervalMs, () => this.#read())
    this.#reader.start()
  }

  async restore(given: GivenJob): Promise<RestoredJob> {
    const timezone = given.timezone ?? (await zoneOf(this.#app, given.name)) ?? hostTimezone()
    const job = (await this.#app?.store.jobs.findJob(given.name)) ?? null
    const figures = job === null ? { runs: 0, lastRunAt: null } : await this.#figuresOf(job)
    return { job: { ...given, timezone }, figures, missedFrom: job?.accountedUntil ?? null }
  }

  /** Everything is in the database already. */
  async added(): Promise<void> {}
  changed(): void {}
  async saved(): Promise<void> {}

  async drop(name: string): Promise<boolean> {
    return (await this.#app?.store.jobs.findJob(name)) !== null
  }

  async stopping(): Promise<void> {
    await this.#reader?.stop()
  }

  async close(): Promise<void> {}

  async #read(): Promise<void> {
    const [app, book] = [this.#app, this.#book]
    if (app === null || book === null) return
    try {
      const jobs = await app.store.jobs.listJobs({ tag: schedulerTag, limit: allOf })
      for (const job of jobs) book.put(factsOf(job), await this.#figuresOf(job), false)
      const known = new Set(jobs.map(({ name }) => name))
      for (const name of book.names({ mine: false })) if (!known.has(name)) book.remove(name)
    } catch (error) {
      this.#logger.warn('Could not read the state of the jobs; trying again', { error })
    }
  }

  /** A run counts when it has ended: those that the job has made, without those that are still open. */
  async #figuresOf(job: Job): Promise<JobFigures> {
    const app = this.#app
    if (app === null) return { runs: 0, lastRunAt: null }
    const { store } = app
    let made = job.runs
    let open = await openRuns(store, job.id)
    // The leader may have made some between the two looks.
    for (let now = await runsOf(store, job); now !== made; now = await runsOf(store, job)) {
      made = now
      open = await openRuns(store, job.id)
    }
    // The newest may be one that is still to start.
    const newest = await store.executions.listExecutions({ job: job.id, limit: 100 })
    const last = newest.find(({ startedAt }) => startedAt !== null)
    return { runs: Math.max(0, made - open), lastRunAt: last?.startedAt ?? null }
  }
}

async function runsOf(store: Store, job: Job): Promise<number> {
  return (await store.jobs.findJob(job.id))?.runs ?? job.runs
}

async function openRuns(store: Store, jobId: string): Promise<number> {
  let open = 0
  for (const state of unfinishedStates) {
    const executions = await store.executions.listExecutions({ job: jobId, state, limit: allOf })
    open += executions.filter(({ tickAt }) => tickAt !== null).length
  }
  return open
}
