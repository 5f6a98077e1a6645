/** Schedules in a database, changed without a restart, synced from an API. */
export type { ApiSource, SyncOptions } from './api-source.ts'
export type { ConnectOptions } from './connect.ts'
export { type ActiveExecution, EnhancedScheduler } from './enhanced-scheduler.ts'
export type { RunEnd } from './hand-run.ts'
export type { FinalStatus, HistoryEntry, HistoryStatus } from './history-entry.ts'
export {
  type HistoryQuery,
  type HistoryStatistics,
  JobHistory,
  type StartExecution,
  type StatisticsQuery,
} from './job-history.ts'
export type {
  CreateSchedule,
  ScheduleFields,
  ScheduleFrequency,
  ScheduleRecord,
  UpdateSchedule,
} from './schedule-record.ts'
export { ScheduleRepository } from './schedule-repository.ts'
export {
  type ScheduleChanges,
  ScheduleWatcher,
  type ScheduleWatcherOptions,
} from './schedule-watcher.ts'
export type {
  EnhancedSchedulerOptions,
  ExecuteSchedule,
} from './scheduler-options.ts'
export type { Seconds } from './seconds.ts'
