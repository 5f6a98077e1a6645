/** The jobs that a worker has under way, what they threw, and counts of how jobs ended. */
import type { ExecutionError } from '../../core/execution/execution.ts'
import type { ActiveProcessingJob, ProcessingJob, ProcessingJobStatus } from './processing-job.ts'

export interface ProcessingCounts {
  readonly started: number
  readonly completed: number
  /** For good. */
  readonly failed: number
  /** Attempts that failed, and whose job is tried again. */
  readonly retried: number
}

interface Active<Payload> {
  readonly job: ActiveProcessingJob<Payload>
  thrown: unknown
}

export class ActiveJobs<Payload> {
  readonly #active = new Map<string, Active<Payload>>()
  #counts: ProcessingCounts = { started: 0, completed: 0, failed: 0, retried: 0 }
  #idle = Promise.withResolvers<void>()

  get counts(): ProcessingCounts {
    return this.#counts
  }

  get jobs(): ActiveProcessingJob<Payload>[] {
    return [...this.#active.values()].map(({ job }) => job)
  }

  begin(job: ActiveProcessingJob<Payload>): void {
    if (this.#active.size === 0) this.#idle = Promise.withResolvers()
    this.#active.set(job.id, { job, thrown: null })
    this.#count('started')
  }

  threw(id: string, thrown: unknown): void {
    const active = this.#active.get(id)
    if (active !== undefined) active.thrown = thrown
  }

  /** The job after its attempt has ended; null where this worker did not run it. */
  end(
    id: string,
    after: Partial<ProcessingJob<Payload>> & { readonly status: ProcessingJobStatus },
  ): ProcessingJob<Payload> | null {
    const active = this.#active.get(id)
    if (active === undefined) return null
    this.#leave(id)
    if (after.status === 'done') this.#count('completed')
    else if (after.status === 'failed') this.#count('failed')
    else if (after.status === 'retry') this.#count('retried')
    const { signal: _signal, transaction: _transaction, ...row } = active.job
    return { ...row, locked_by: null, locked_until: null, ...after }
  }

  /** What was thrown, where it was thrown here; else the error that the engine kept. */
  errorOf(id: string, kept: ExecutionError): Error {
    const thrown = this.#active.get(id)?.thrown
    if (thrown instanceof Error) return thrown
    const { message, ...rest } = kept
    return Object.assign(new Error(message), rest)
  }

  /** The engine has given it back, or another worker has it. */
  forget(id: string): void {
    if (this.#active.has(id)) this.#leave(id)
  }

  clear(): void {
    for (const id of this.#active.keys()) this.#leave(id)
  }

  async idle(): Promise<void> {
    if (this.#active.size > 0) await this.#idle.promise
  }

  #leave(id: string): void {
    this.#active.delete(id)
    if (this.#active.size === 0) this.#idle.resolve()
  }

  #count(name: keyof ProcessingCounts): void {
    this.#counts = { ...this.#counts, [name]: this.#counts[name] + 1 }
  }
}
