/** Where a scheduler's jobs live between two processes: nowhere, in a state file, or in a database. */
import type { AppContext } from '../../app/app-context.ts'
import type { Surroundings } from '../../app/cluster/live-node.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import type { JobBook, JobFigures } from './job-book.ts'
import type { GivenJob } from './scheduler-config.ts'

/** A job as it is to hold from now on. */
export interface RestoredJob {
  readonly job: GivenJob & { readonly timezone: string }
  readonly figures: JobFigures
  /** Its ticks since then are settled now; null for a job without a past. */
  readonly missedFrom: number | null
}

export interface Memory {
  readonly node: EvertickOptions
  readonly around: Partial<Surroundings>
  /** Before the node is opened. */
  open(book: JobBook, now: number): Promise<void>
  start(app: AppContext): Promise<void>
  /** Brings a job back from where a former process left it, and says what holds for it from now on. */
  restore(given: GivenJob): Promise<RestoredJob>
  /** A job was scheduled. Resolves when it is kept; of many jobs, when it will be kept soon. */
  added(): Promise<void>
  /** Something has changed that should be kept. */
  changed(): void
  /** Resolves when what has changed is kept. */
  saved(): Promise<void>
  /** False where nothing was known of it. */
  drop(name: string): Promise<boolean>
  /** The node is about to stop, and has stopped. */
  stopping(): Promise<void>
  close(): Promise<void>
}

/** In the host's zone, as the libraries do that people come from; stored, so that a later move changes nothing. */
export function hostTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** One process alone: nobody takes over from it, and it waits for nobody. */
export const aloneInMemory: EvertickOptions = {
  database: 'sqlite::memory:',
  leader: { lease: '3650d', heartbeat: '3h' },
}

/** Tasks are functions of this process, as many at once as are due. Catch-ups are not spread over time. */
export const sharedOptions: EvertickOptions = {
  queues: { default: { concurrency: 1_000 } },
  catchUpRate: 100_000,
}

/** Of a plain `Scheduler`. */
export class NoMemory implements Memory {
  readonly node: EvertickOptions = { ...sharedOptions, ...aloneInMemory }
  readonly around = {}
  #app: AppContext | null = null

  async open(): Promise<void> {}

  async start(app: AppContext): Promise<void> {
    this.#app = app
  }

  async restore(given: GivenJob): Promise<RestoredJob> {
    const stored = await zoneOf(this.#app, given.name)
    const timezone = given.timezone ?? stored ?? hostTimezone()
    return { job: { ...given, timezone }, figures: { runs: 0, lastRunAt: null }, missedFrom: null }
  }

  async added(): Promise<void> {}
  changed(): void {}
  async saved(): Promise<void> {}

  async drop(): Promise<boolean> {
    return false
  }

  async stopping(): Promise<void> {}
  async close(): Promise<void> {}
}

/** The zone that the job has, where there is one. */
export async function zoneOf(app: AppContext | null, name: string): Promise<string | null> {
  const job = await app?.store.jobs.findJob(name)
  return job?.spec.schedule?.kind === 'cron' ? job.spec.schedule.timezone : null
}
