/** The label `job`, for so many jobs: a metric with a row for each of 10,000 jobs helps nobody and stops Prometheus. */

const mostJobs = 100
/** Stands for all jobs beyond the first. */
export const otherJobs = 'other'

export class JobLabel {
  readonly #known = new Set<string>()

  /** A job that was seen among the first keeps its name for as long as this node runs. */
  of(job: string): string {
    if (this.#known.has(job)) return job
    if (this.#known.size >= mostJobs) return otherJobs
    this.#known.add(job)
    return job
  }
}
