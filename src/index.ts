/** The public API: this list, and nothing else. A test keeps it. */
import './app/supported-node.ts'

export type { AuditResult } from './app/audit-ledger.ts'
export type { AuditEntry, AuditLogFilter, AuditLogProof, ListAuditLog } from './app/audit-log.ts'
export type { BulkAction, BulkOptions, BulkProgress, BulkResult } from './app/bulk-jobs.ts'
export type { ActorOptions } from './app/change-context.ts'
export type { TermView } from './app/cluster.ts'
export type { ConvertedJob, ConvertReport, ManualJob } from './app/convert-jobs.ts'
export { type DefinedJob, defineJob, type JobDefinition, type Run } from './app/define-job.ts'
export {
  DistributedLock,
  type DistributedLockOptions,
  type LockOptions,
  type LockOwner,
} from './app/distributed-lock.ts'
export { Evertick } from './app/evertick.ts'
export type { AttemptView, ListExecutions, LogLine } from './app/executions.ts'
export type { ExplainedTickView, ExplanationView } from './app/explain.ts'
export type {
  CommandHandlerOptions,
  FunctionHandlerOptions,
  HandlerOptions,
  HttpHandlerOptions,
} from './app/handler-options.ts'
export type { HeldLock } from './app/held-lock.ts'
export type { BackfillView, CreateJob, UpdateJob } from './app/jobs.ts'
export type { IntervalType, LegacyChanges, LegacyFields, LegacyJob, LegacyView } from './app/legacy-job.ts'
export type {
  JobInclude,
  JobList,
  JobOrder,
  JobsFilter,
  ListedJob,
  ListJobs,
  RecentTick,
} from './app/list-jobs.ts'
export type { AcquireOptions, Lock } from './app/locks.ts'
export type { Metrics } from './app/metrics.ts'
export { type AnyJob, defineConfig, type EvertickOptions } from './app/options.ts'
export type { EnqueueItem } from './app/producer.ts'
export type { ActivityBucket, ActivityReport } from './app/reports/activity.ts'
export type { AwayJob, AwayReport } from './app/reports/away.ts'
export type { Forecast, PileUp } from './app/reports/forecast.ts'
export type { Heatmap, HeatmapHour, HeatmapOptions } from './app/reports/heatmap.ts'
export type { HealthLevel, Overview } from './app/reports/overview.ts'
export type { Problem } from './app/reports/problems.ts'
export type { BucketOptions, SpanOptions } from './app/reports/span.ts'
export type { Timeline, TimelineOptions, TimelineRun } from './app/reports/timeline.ts'
export type { SyncResult } from './app/sync-source.ts'
export type { ExecutionView, JobView, WaitsView } from './app/views.ts'
export type { Why } from './app/why.ts'
export { type ErrorCode, type ErrorDetails, type ErrorKind, EvertickError } from './core/error.ts'
export type { Cause, ExecutionError } from './core/execution/execution.ts'
export type { ExecutionState } from './core/execution/execution-state.ts'
export type { WaitReason } from './core/execution/waits.ts'
export type { Statistics } from './core/history/statistics.ts'
export type { Health, HealthState } from './core/job/health.ts'
export type { JobAction, JobState } from './core/job/job-state.ts'
export {
  canCancel,
  canPause,
  canResume,
  canRetry,
  type HasStatus,
  type JobStatus,
} from './core/job/job-status.ts'
export type { CatchUpOptions, JobOptions, RetentionOptions, RetryOptions } from './core/job/options.ts'
export type { CatchUpPolicy, OverlapPolicy } from './core/job/policies.ts'
export { type CronToInterval, cronToInterval } from './core/schedule/cron-to-interval.ts'
export type { DescribeOptions } from './core/schedule/describe-schedule.ts'
export { describeSchedule } from './core/schedule/describe-schedule.ts'
export type { NextTicksOptions, PreviousTicksOptions } from './core/schedule/next-ticks.ts'
export { nextTicks, previousTicks } from './core/schedule/next-ticks.ts'
export type { Duration, Instant, Schedule } from './core/schedule/schedule.ts'
export type { Account, SkipReason } from './core/tick/account.ts'
export type { Verdict } from './core/tick/explain.ts'
export type { ApiSource, SyncOptions } from './embed/enhanced-scheduler/api-source.ts'
export type { ConnectOptions } from './embed/enhanced-scheduler/connect.ts'
export { type ActiveExecution, EnhancedScheduler } from './embed/enhanced-scheduler/enhanced-scheduler.ts'
export type { RunEnd } from './embed/enhanced-scheduler/hand-run.ts'
export type { FinalStatus, HistoryEntry, HistoryStatus } from './embed/enhanced-scheduler/history-entry.ts'
export {
  type HistoryQuery,
  type HistoryStatistics,
  JobHistory,
  type StartExecution,
  type StatisticsQuery,
} from './embed/enhanced-scheduler/job-history.ts'
export type {
  CreateSchedule,
  ScheduleFields,
  ScheduleFrequency,
  ScheduleRecord,
  UpdateSchedule,
} from './embed/enhanced-scheduler/schedule-record.ts'
export { ScheduleRepository } from './embed/enhanced-scheduler/schedule-repository.ts'
export {
  type ScheduleChanges,
  ScheduleWatcher,
  type ScheduleWatcherOptions,
} from './embed/enhanced-scheduler/schedule-watcher.ts'
export type {
  EnhancedSchedulerOptions,
  ExecuteSchedule,
} from './embed/enhanced-scheduler/scheduler-options.ts'
export type { Seconds } from './embed/enhanced-scheduler/seconds.ts'
export {
  type AggregateStats,
  ExecutionRepository,
  type JobStats,
} from './embed/interval-scheduler/execution-repository.ts'
export { IntervalScheduler } from './embed/interval-scheduler/interval-scheduler.ts'
export type { JobWork } from './embed/interval-scheduler/job-handler.ts'
export { type IntervalJob, JobRepository } from './embed/interval-scheduler/job-repository.ts'
export type { RepositoryOptions } from './embed/interval-scheduler/repository-node.ts'
export type { IntervalSchedulerOptions } from './embed/interval-scheduler/scheduler-options.ts'
export type {
  LeaderLogCoordinatorOptions,
  MissedTask,
  MissedTaskRepair,
} from './embed/leader-log/coordinator-options.ts'
export { LeaderLogCoordinator } from './embed/leader-log/leader-log-coordinator.ts'
export { createLeaderLogModel, type LeaderLogModel } from './embed/leader-log/leader-log-model.ts'
export {
  SchedulerLeaderLogService,
  type SchedulerLeaderLogServiceOptions,
} from './embed/leader-log/leader-log-service.ts'
export type { FindOptions, LeaderTerm, SchedulerLeaderLogModel } from './embed/leader-log/leader-term.ts'
export type { EnqueueOutcome, QueueEntry } from './embed/leader-log/once-only.ts'
export type { PersistentJobState } from './embed/persistent-scheduler/job-book.ts'
export { PersistentScheduler } from './embed/persistent-scheduler/persistent-scheduler.ts'
export type { ScheduledJob } from './embed/persistent-scheduler/scheduled-job.ts'
export { Scheduler } from './embed/persistent-scheduler/scheduler.ts'
export type {
  PersistentScheduleJobConfig,
  PersistentSchedulerConfig,
  ScheduleJobConfig,
  SchedulerConfig,
} from './embed/persistent-scheduler/scheduler-config.ts'
export type { ProcessingCounts } from './embed/processing/active-jobs.ts'
export type { ReleaseStatus } from './embed/processing/lease-options.ts'
export type {
  ActiveProcessingJob,
  ProcessingJob,
  ProcessingJobStatus,
} from './embed/processing/processing-job.ts'
export type { ProcessingJobOptions } from './embed/processing/processing-job-options.ts'
export {
  type CreateProcessingJobOptions,
  type ListProcessingJobs,
  ProcessingJobRepository,
} from './embed/processing/processing-job-repository.ts'
export { ProcessingJobService, processingJobService } from './embed/processing/processing-job-service.ts'
export type { NewProcessingJob } from './embed/processing/processing-queue.ts'
export {
  ProcessingWorker,
  type ProcessingWorkerEvents,
  type ProcessingWorkerStatus,
  processingWorker,
} from './embed/processing/processing-worker.ts'
export type { ProcessingWorkerOptions } from './embed/processing/processing-worker-options.ts'
export type { Clock } from './engine/clock.ts'
export type { EventMap, EventName, Listener } from './engine/events.ts'
export type { Logger } from './engine/logger.ts'
export type { Role } from './engine/node.ts'
export type { EnqueueOptions, EnqueueResult, JobContext, JobReference } from './engine/worker/handler.ts'
export { outcome } from './engine/worker/outcome-signal.ts'
export type { InvalidEntry } from './sources/api/schedule-entry.ts'
export type { Transaction } from './store/store.ts'
