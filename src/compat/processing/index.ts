/** Workers with leases. */
export type { ProcessingCounts } from './active-jobs.ts'
export type { ReleaseStatus } from './lease-options.ts'
export type {
  ActiveProcessingJob,
  ProcessingJob,
  ProcessingJobStatus,
} from './processing-job.ts'
export type { ProcessingJobOptions } from './processing-job-options.ts'
export {
  type CreateProcessingJobOptions,
  type ListProcessingJobs,
  ProcessingJobRepository,
} from './processing-job-repository.ts'
export { ProcessingJobService, processingJobService } from './processing-job-service.ts'
export type { NewProcessingJob } from './processing-queue.ts'
export {
  ProcessingWorker,
  type ProcessingWorkerEvents,
  type ProcessingWorkerStatus,
  processingWorker,
} from './processing-worker.ts'
export type { ProcessingWorkerOptions } from './processing-worker-options.ts'
