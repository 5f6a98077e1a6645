/** Jobs by interval, with their repositories. */
export {
  type AggregateStats,
  ExecutionRepository,
  type JobStats,
} from './execution-repository.ts'
export { IntervalScheduler } from './interval-scheduler.ts'
export type { JobWork } from './job-handler.ts'
export { type IntervalJob, JobRepository } from './job-repository.ts'
export type { RepositoryOptions } from './repository-node.ts'
export type { IntervalSchedulerOptions } from './scheduler-options.ts'
