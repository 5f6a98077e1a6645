/** A job as `getJob` and `listJobs` give it: answers at once, from what is known in this process. */
import type { JobBook } from './job-book.ts'

export class ScheduledJob {
  readonly name: string
  readonly #book: JobBook

  constructor(name: string, book: JobBook) {
    this.name = name
    this.#book = book
  }

  /** null while it is paused, and once it was stopped. */
  nextRun(): Date | null {
    return this.#book.state(this.name)?.nextRun ?? null
  }

  /** Whether its task is under way in this process. */
  isRunning(): boolean {
    return this.#book.isRunning(this.name)
  }
}
