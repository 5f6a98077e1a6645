/** The label `job`, for a limited number of jobs: 10,000 series for each metric would overload Prometheus. */

const mostJobs = 100
/** The label of all jobs beyond the limit. */
export const otherJobs = 'other'

export class JobLabel {
  readonly #known = new Set<string>()

  /** The first jobs keep their labels for as long as this node runs. */
  of(job: string): string {
    if (this.#known.has(job)) return job
    if (this.#known.size >= mostJobs) return otherJobs
    this.#known.add(job)
    return job
  }
}
