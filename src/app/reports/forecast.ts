/** Upcoming ticks of all active jobs, and where many coincide. */
import type { Job } from '../../core/job/job.ts'
import { sequenceOfJob } from '../../core/job/sequence.ts'
import type { TickSequence } from '../../core/schedule/schedule.ts'
import type { AppContext } from '../app-context.ts'
import { Slice } from '../slice.ts'
import { type BucketOptions, type Buckets, bucketsOf } from './span.ts'

export interface PileUp {
  readonly at: Date
  readonly count: number
  /** The first by name. */
  readonly jobs: readonly string[]
}

export interface Forecast {
  readonly from: Date
  readonly to: Date
  readonly bucketMs: number
  readonly total: number
  readonly buckets: readonly { readonly at: Date; readonly count: number }[]
  /** Instants at which several jobs are due, the most crowded first. */
  readonly pileUps: readonly PileUp[]
  /** The jobs with the most ticks. */
  readonly jobs: readonly { readonly job: string; readonly count: number }[]
  /** Whether there are more jobs than were counted. */
  readonly truncated: boolean
}

const mostDays = 31
const mostJobs = 5_000
const jobsAtOnce = 200
/** How many ticks are walked one by one, for all jobs and for one job; more are only counted. */
const mostWalked = 200_000
const mostWalkedOfOne = 2_000
/** What a job without ticks costs. */
const elementsOfOne = 10
const shownPileUps = 20
const shownJobs = 200
const namedInPileUp = 5

export async function forecastOf(app: AppContext, options: BucketOptions): Promise<Forecast> {
  const buckets = bucketsOf(options, mostDays)
  const now = app.clock.now()
  const begin = Math.max(buckets.from, now + 1)
  const due = await jobsDueBefore(app, buckets.to, now)
  const drawing = new Drawing(buckets, begin)
  const slice = new Slice(app.rest)
  for (const job of due.slice(0, mostJobs).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    await slice.took(drawing.add(job))
  }
  return { ...drawing.forecast(), truncated: due.length > mostJobs }
}

/** The jobs that are due first; one more than are drawn, if there are more. */
async function jobsDueBefore({ store, rest }: AppContext, to: number, now: number): Promise<Job[]> {
  const terms = [{ by: 'next', from: null, to, negated: false }] as const
  const query = { terms, now, sort: 'nextRunAt', descending: false, limit: jobsAtOnce } as const
  // A job whose tick is settled meanwhile moves to a later page, too.
  const jobs = new Map<string, Job>()
  let page = await store.jobs.pageJobs(query)
  for (;;) {
    for (const { job } of page) jobs.set(job.id, job)
    const after = page.at(-1)?.place
    if (after === undefined || page.length < jobsAtOnce || jobs.size > mostJobs) break
    await rest()
    page = await store.jobs.pageJobs({ ...query, after })
  }
  return [...jobs.values()].slice(0, mostJobs + 1)
}

class Drawing {
  readonly #buckets: Buckets
  readonly #begin: number
  readonly #counts: number[]
  readonly #together = new Map<number, { count: number; jobs: string[] }>()
  readonly #jobs: { job: string; count: number }[] = []
  #walked = 0

  constructor(buckets: Buckets, begin: number) {
    this.#buckets = buckets
    this.#begin = begin
    this.#counts = buckets.starts.map(() => 0)
  }

  /** How much it took. */
  add(job: Job): number {
    const { to, starts } = this.#buckets
    const sequence = sequenceOfJob(job)
    const count = this.#begin < to ? sequence.count(this.#begin, to) : 0
    if (count === 0) return elementsOfOne
    this.#jobs.push({ job: job.name, count })
    if (count <= mostWalkedOfOne && this.#walked + count <= mostWalked) {
      this.#walk(job.name, sequence)
      return elementsOfOne + count
    }
    this.#count(sequence)
    return elementsOfOne + starts.length
  }

  #walk(name: string, sequence: TickSequence): void {
    const { from, to, bucketMs } = this.#buckets
    for (let tick = sequence.next(this.#begin - 1); tick !== null && tick < to; tick = sequence.next(tick)) {
      this.#walked += 1
      const index = Math.floor((tick - from) / bucketMs)
      this.#counts[index] = (this.#counts[index] ?? 0) + 1
      const there = this.#together.get(tick) ?? { count: 0, jobs: [] }
      there.count += 1
      if (there.jobs.length < namedInPileUp) there.jobs.push(name)
      this.#together.set(tick, there)
    }
  }

  #count(sequence: TickSequence): void {
    const { to, bucketMs, starts } = this.#buckets
    for (const [index, at] of starts.entries()) {
      const [from, until] = [Math.max(at, this.#begin), Math.min(at + bucketMs, to)]
      if (from < until) this.#counts[index] = (this.#counts[index] ?? 0) + sequence.count(from, until)
    }
  }

  forecast(): Omit<Forecast, 'truncated'> {
    const { from, to, bucketMs, starts } = this.#buckets
    return {
      from: new Date(from),
      to: new Date(to),
      bucketMs,
      total: this.#jobs.reduce((sum, { count }) => sum + count, 0),
      buckets: starts.map((at, index) => ({ at: new Date(at), count: this.#counts[index] ?? 0 })),
      pileUps: [...this.#together]
        .filter(([, { count }]) => count > 1)
        .toSorted(([at, a], [other, b]) => b.count - a.count || at - other)
        .slice(0, shownPileUps)
        .map(([at, { count, jobs }]) => ({ at: new Date(at), count, jobs })),
      jobs: this.#jobs.toSorted((a, b) => b.count - a.count).slice(0, shownJobs),
    }
  }
}
