/** A scheduler in one process that catches up after a restart. */
export type { PersistentJobState } from './job-book.ts'
export { PersistentScheduler } from './persistent-scheduler.ts'
export type { ScheduledJob } from './scheduled-job.ts'
export { Scheduler } from './scheduler.ts'
export type {
  PersistentScheduleJobConfig,
  PersistentSchedulerConfig,
  ScheduleJobConfig,
  SchedulerConfig,
} from './scheduler-config.ts'
