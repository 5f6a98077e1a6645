/** What is known of the jobs without asking the database: for answers that cannot wait. Kept by the engine's events. */

import type { Job } from '../../core/job/job.ts'
import { sequenceOf } from '../../core/schedule/schedule-spec.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Evertick } from '../../evertick.ts'

export interface JobFacts {
  readonly name: string
  readonly cron: string
  readonly timezone: string
  readonly enabled: boolean
  readonly catchUp: boolean
  readonly maxMissedRuns: number
  readonly protect: boolean
}

export interface JobFigures {
  readonly runs: number
  readonly lastRunAt: number | null
}

/** A job's state as `getJobState` gives it: the keys of the state file, with dates. */
export interface PersistentJobState {
  readonly name: string
  readonly schedule: string
  readonly enabled: boolean
  readonly catchUp: boolean
  readonly maxMissedRuns: number
  /** Runs that have ended, over all lives of the job. */
  readonly currentRunCount: number
  /** When its last run began; null before the first. */
  readonly lastRun: Date | null
  /** null while it is paused. */
  readonly nextRun: Date | null
  readonly timezone: string
  readonly protect: boolean
}

interface Page {
  facts: JobFacts
  runs: number
  lastRunAt: number | null
  readonly running: Set<string>
  /** Scheduled by this process, not only known from its state. */
  readonly mine: boolean
}

const ends = [
  'execution:completed',
  'execution:failed',
  'execution:cancelled',
  'execution:retrying',
  'execution:refused',
] as const
const counted: readonly string[] = ['execution:completed', 'execution:failed', 'execution:cancelled']

export class JobBook {
  readonly #pages = new Map<string, Page>()
  #now: () => number = () => 0

  /** Listens until the node stops. `onChange` hears of every run that has ended and every tick that was settled. */
  follow(evertick: Evertick, clock: Clock, onChange: () => void): void {
    this.#now = () => clock.now()
    evertick.on('execution:started', ({ job, executionId }) => {
      const page = this.#pages.get(job)
      if (page === undefined) return
      page.running.add(executionId)
      page.lastRunAt = clock.now()
    })
    for (const event of ends) {
      evertick.on(event, ({ job, executionId }) => {
        const page = this.#pages.get(job)
        if (page?.running.delete(executionId) && counted.includes(event)) page.runs += 1
        onChange()
      })
    }
    evertick.on('tick:accounted', onChange)
  }

  put(facts: JobFacts, figures: JobFigures, mine: boolean): void {
    const before = this.#pages.get(facts.name)
    const running = before?.running ?? new Set<string>()
    this.#pages.set(facts.name, { facts, ...figures, running, mine: mine || before?.mine === true })
  }

  /** What has changed of its definition; its figures stay. */
  change(facts: Partial<JobFacts> & { readonly name: string }): void {
    const page = this.#pages.get(facts.name)
    if (page !== undefined) page.facts = { ...page.facts, ...facts }
  }

  remove(name: string): void {
    this.#pages.delete(name)
  }

  get size(): number {
    return this.#pages.size
  }

  names({ mine }: { readonly mine: boolean }): string[] {
    return [...this.#pages].filter(([, page]) => !mine || page.mine).map(([name]) => name)
  }

  isMine(name: string): boolean {
    return this.#pages.get(name)?.mine === true
  }

  isRunning(name: string): boolean {
    return (this.#pages.get(name)?.running.size ?? 0) > 0
  }

  figures(name: string): JobFigures | null {
    const page = this.#pages.get(name)
    return page === undefined ? null : { runs: page.runs, lastRunAt: page.lastRunAt }
  }

  state(name: string): PersistentJobState | undefined {
    const page = this.#pages.get(name)
    if (page === undefined) return undefined
    const { facts, runs, lastRunAt } = page
    return {
      name,
      schedule: facts.cron,
      enabled: facts.enabled,
      catchUp: facts.catchUp,
      maxMissedRuns: facts.maxMissedRuns,
      currentRunCount: runs,
      lastRun: lastRunAt === null ? null : new Date(lastRunAt),
      nextRun: facts.enabled ? nextRunOf(facts, this.#now()) : null,
      timezone: facts.timezone,
      protect: facts.protect,
    }
  }
}

export function factsOf({ name, state, spec }: Job): JobFacts {
  const { schedule } = spec
  return {
    name,
    cron: schedule?.kind === 'cron' ? schedule.cron : '',
    timezone: schedule?.kind === 'cron' ? schedule.timezone : 'UTC',
    enabled: state !== 'paused',
    catchUp: spec.catchUp.policy !== 'none',
    maxMissedRuns: spec.catchUp.maxMissedRuns,
    protect: spec.maxConcurrent === 1,
  }
}

function nextRunOf({ name, cron, timezone }: JobFacts, now: number): Date | null {
  try {
    const at = sequenceOf({ kind: 'cron', cron, timezone }, { hashKey: name }).next(now)
    return at === null ? null : new Date(at)
  } catch {
    // A saved schedule that cannot be read is reported when it is brought back.
    return null
  }
}
