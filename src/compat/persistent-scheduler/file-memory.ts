/** State in a JSON file: an in-memory database is loaded from it job by job, and saved to it with every change. */
import { createHash } from 'node:crypto'
import type { AppContext } from '../../app/app-context.ts'
import type { Surroundings } from '../../app/cluster/live-node.ts'
import { EvertickError } from '../../core/error.ts'
import type { JobSpec } from '../../core/job/job.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Store } from '../../store/store.ts'
import type { Files } from './disk-files.ts'
import { specOfPast } from './engine-job.ts'
import { FileClaim } from './file-claim.ts'
import type { JobBook } from './job-book.ts'
import {
  aloneInMemory,
  hostTimezone,
  type Memory,
  type RestoredJob,
  sharedOptions,
  zoneOf,
} from './memory.ts'
import { type SavedJob, type SavedState, settledUntil } from './saved-state.ts'
import type { GivenJob } from './scheduler-config.ts'
import { snapshotOf } from './snapshot.ts'
import { StateFile } from './state-file.ts'
import { StateSaver } from './state-saver.ts'

/** Up to so many jobs every change is saved at once, and `schedule()` waits for it. */
const fewJobs = 50
/** Of more, changes gather in proportion: then saving takes a fifth of the time at most, however many jobs there are. */
const gatherMsPerJob = 0.1

type ZonedJob = GivenJob & { readonly timezone: string }

export interface FileMemoryOptions {
  readonly stateFile: string
  readonly saveIntervalMs: number
  readonly files: Files
  readonly logger: Logger
}

export class FileMemory implements Memory {
  readonly node = { ...sharedOptions, ...aloneInMemory }
  /** The last save comes when nothing runs any more and the database can still be read. */
  readonly around: Partial<Surroundings> = { wrap: (store) => beforeClose(store, () => this.#save(store)) }
  readonly #options: FileMemoryOptions
  readonly #file: StateFile
  readonly #claim: FileClaim
  readonly #left = new Map<string, SavedJob>()
  readonly #definitions = new Map<string, string>()
  #loaded: SavedState = { timestamp: new Date(0).toISOString(), jobs: [] }
  #book: JobBook | null = null
  #app: AppContext | null = null
  #saver: StateSaver | null = null

  constructor(options: FileMemoryOptions) {
    const { stateFile, files, logger } = options
    this.#options = options
    this.#file = new StateFile(stateFile, files, logger)
    this.#claim = new FileClaim(stateFile, files, logger)
  }

  async open(book: JobBook, now: number): Promise<void> {
    const { files, stateFile } = this.#options
    // Before the claim: nothing is written beside what is refused.
    await files.refuseOther(stateFile)
    await this.#claim.take()
    try {
      this.#loaded = (await this.#file.load(now)) ?? this.#loaded
    } catch (error) {
      await this.#claim.release()
      throw error
    }
    this.#book = book
    for (const job of this.#loaded.jobs) {
      this.#left.set(job.name, job)
      book.put(factsOfSaved(job), figuresOf(job), false)
    }
  }

  async start(app: AppContext): Promise<void> {
    this.#app = app
    const gatherMs = () => (this.#few ? 0 : this.#jobs * gatherMsPerJob)
    const save = () => this.#save(app.store)
    this.#saver = new StateSaver(app.clock, this.#options.saveIntervalMs, save, gatherMs)
    this.#saver.start()
    await this.#saver.saved()
  }

  async restore(given: GivenJob): Promise<RestoredJob> {
    const saved = this.#left.get(given.name)
    const definition = definitionOf(given)
    const before = saved?.definition ?? this.#definitions.get(given.name)
    const state = this.#book?.state(given.name)
    // What an operator changed by `setCatchUp` holds until the code itself says something new.
    const held = before === definition && state !== undefined ? pick(state) : {}
    const zone = given.timezone ?? saved?.timezone ?? (await zoneOf(this.#app, given.name)) ?? hostTimezone()
    const job = { ...given, ...held, timezone: zone }
    const figures = this.#book?.figures(given.name) ?? { runs: 0, lastRunAt: null }
    const missedFrom = saved === undefined ? null : await this.#bringBack(saved, job)
    this.#definitions.set(given.name, definition)
    this.#left.delete(given.name)
    return { job, figures, missedFrom }
  }

  async added(): Promise<void> {
    if (this.#few) await this.saved()
    else this.changed()
  }

  changed(): void {
    this.#saver?.changed()
  }

  async saved(): Promise<void> {
    await this.#saver?.saved()
  }

  async drop(name: string): Promise<boolean> {
    this.#definitions.delete(name)
    return this.#left.delete(name)
  }

  async stopping(): Promise<void> {
    await this.#saver?.stop()
  }

  async close(): Promise<void> {
    await this.#claim.release()
  }

  get #jobs(): number {
    return this.#book?.size ?? 0
  }

  get #few(): boolean {
    return this.#jobs <= fewJobs
  }

  /** The job stands again where the file says that its ticks are settled until. */
  async #bringBack(saved: SavedJob, job: ZonedJob): Promise<number | null> {
    const { logger } = this.#options
    const app = this.#app
    const spec = pastSpec(saved, job, logger)
    if (app === null || spec === null) return null
    const until = settledUntil(saved, this.#loaded)
    const now = app.clock.now()
    if (until > now + 1) {
      const at = new Date(until).toISOString()
      logger.warn(
        `${saved.name}: its ticks are settled until ${at}, which is in the future. Was the clock set back?`,
      )
    }
    const owed = (saved.unfinished ?? []).map(({ scheduledFor, attempt }) => ({
      tickAt: Date.parse(scheduledFor),
      attempt,
    }))
    await app.store.jobs.createJob({
      id: app.newId(now),
      name: saved.name,
      spec,
      managedBy: 'code',
      managedHash: null,
      paused: !saved.enabled,
      owed,
      context: { now: until - 1, actor: 'state file' },
    })
    return until
  }

  async #save(store: Store): Promise<void> {
    const [book, app] = [this.#book, this.#app]
    // Before the start there is nothing that the file does not know.
    if (book === null || app === null) return
    try {
      const parts = { book, left: this.#left, definitions: this.#definitions, now: app.clock.now() }
      await this.#file.save(await snapshotOf(store, parts))
      await this.#claim.renew()
    } catch (error) {
      this.#options.logger.error(`Could not save the state to ${this.#file.path}; trying again`, { error })
    }
  }
}

/** A saved schedule that cannot be read has no ticks to catch up. The log says so. */
function pastSpec(saved: SavedJob, job: ZonedJob, logger: Logger): JobSpec | null {
  try {
    return specOfPast(job, { cron: saved.schedule, timezone: saved.timezone ?? job.timezone })
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    logger.warn(`${saved.name}: its saved schedule cannot be read, so nothing of it is caught up`, { error })
    return null
  }
}

function factsOfSaved(job: SavedJob) {
  const { name, schedule: cron, enabled, catchUp, maxMissedRuns, protect = true } = job
  return { name, cron, timezone: job.timezone ?? hostTimezone(), enabled, catchUp, maxMissedRuns, protect }
}

function figuresOf({ currentRunCount, lastRun }: SavedJob) {
  return { runs: currentRunCount, lastRunAt: lastRun === null ? null : Date.parse(lastRun) }
}

function pick({ catchUp, maxMissedRuns }: { catchUp: boolean; maxMissedRuns: number }) {
  return { catchUp, maxMissedRuns }
}

/** Of what the code gave, defaults filled in. */
function definitionOf({ cron, timezone, catchUp, maxMissedRuns, protect }: GivenJob): string {
  const written = JSON.stringify([cron, timezone, catchUp, maxMissedRuns, protect])
  return createHash('sha256').update(written).digest('hex').slice(0, 16)
}

function beforeClose(store: Store, work: () => Promise<void>): Store {
  const close = async () => {
    await work()
    await store.close()
  }
  return { ...store, close }
}
