/** The repository, for application code. */
import type { ReleaseStatus } from './lease-options.ts'
import type { ProcessingJob } from './processing-job.ts'
import type { ProcessingJobOptions } from './processing-job-options.ts'
import {
  type CreateProcessingJobOptions,
  type ListProcessingJobs,
  ProcessingJobRepository,
} from './processing-job-repository.ts'

export class ProcessingJobService {
  readonly #repository: ProcessingJobRepository

  /** Connects at its first use. */
  constructor(given: ProcessingJobRepository | ProcessingJobOptions = {}) {
    this.#repository = given instanceof ProcessingJobRepository ? given : new ProcessingJobRepository(given)
  }

  /** See `ProcessingJobRepository.createJob`. */
  async createJob(data: unknown, options: CreateProcessingJobOptions = {}): Promise<ProcessingJob> {
    return await this.#repository.createJob(data, options)
  }

  async findById(id: string): Promise<ProcessingJob | null> {
    return await this.#repository.findById(id)
  }

  async list(query: ListProcessingJobs = {}): Promise<ProcessingJob[]> {
    return await this.#repository.list(query)
  }

  /** See `ProcessingJobRepository.acquireLease`. */
  async acquireLease(workerId: string, leaseDurationSeconds = 300): Promise<ProcessingJob | null> {
    return await this.#repository.acquireLease(workerId, leaseDurationSeconds)
  }

  /** False where the worker no longer holds the job. */
  async releaseLease(
    jobId: string,
    workerId: string,
    status: ReleaseStatus,
    error: unknown = null,
  ): Promise<boolean> {
    return await this.#repository.releaseLease(jobId, workerId, status, error)
  }

  /** False where the worker no longer holds the job. */
  async extendLease(jobId: string, workerId: string, additionalSeconds: number): Promise<boolean> {
    return await this.#repository.extendLease(jobId, workerId, additionalSeconds)
  }

  async resetExpiredLeases(): Promise<number> {
    return await this.#repository.resetExpiredLeases()
  }

  async getActiveLeases(): Promise<ProcessingJob[]> {
    return await this.#repository.getActiveLeases()
  }

  async getExpiredLeases(): Promise<ProcessingJob[]> {
    return await this.#repository.getExpiredLeases()
  }

  async close(): Promise<void> {
    await this.#repository.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** On the database that the environment names, connected at its first use. */
export const processingJobService = new ProcessingJobService()
