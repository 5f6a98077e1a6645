/** The public API: this list, and nothing else. A test keeps it. */
import './app/config/supported-node.ts'

export type { AckOptions, AlertView, ListAlerts, SnoozeOptions } from './app/alerts/alerts.ts'
export type { QuietOptions, RuleOptions, RuleView } from './app/alerts/rule-options.ts'
export type { RestoreOptions, RestoreResult } from './app/backup/restore-backup.ts'
export type { BackupFileOptions, BackupOptions, BackupResult } from './app/backup/write-backup.ts'
export type { ActorOptions } from './app/change-context.ts'
export type { CheckInAddress, CheckInAnswer, CheckInOptions } from './app/check-in/check-ins.ts'
export type { TermView } from './app/cluster/cluster.ts'
export { type AnyJob, defineConfig, type EvertickOptions } from './app/config/options.ts'
export type { AttemptView, ExecutionDetail } from './app/execution/execution-detail.ts'
export type { ListExecutions, LogLine } from './app/execution/executions.ts'
export type { EnqueueItem } from './app/execution/producer.ts'
export type { SignalOptions, StepView } from './app/execution/steps.ts'
export type {
  CheckInHandlerOptions,
  CommandHandlerOptions,
  FunctionHandlerOptions,
  HandlerOptions,
  HttpHandlerOptions,
} from './app/handler/handler-options.ts'
export type { BackfillView } from './app/job/actions/backfill-job.ts'
export type { BulkAction, BulkOptions, BulkProgress, BulkResult } from './app/job/actions/bulk-jobs.ts'
export type { AuditResult } from './app/job/audit-ledger.ts'
export { type DefinedJob, defineJob, type JobDefinition, type Run } from './app/job/define-job.ts'
export type { ExplainedTickView, ExplanationView } from './app/job/explain.ts'
export type { RunUsageView, UsageOptions } from './app/job/job-usage.ts'
export type { CreateJob, UpdateJob } from './app/job/jobs.ts'
export type { ConvertedJob, ConvertReport, ManualJob } from './app/job/legacy/convert-jobs.ts'
export type {
  IntervalType,
  LegacyChanges,
  LegacyFields,
  LegacyJob,
  LegacyView,
} from './app/job/legacy/legacy-job.ts'
export type {
  JobInclude,
  JobList,
  JobOrder,
  JobsFilter,
  ListedJob,
  ListJobs,
  RecentTick,
} from './app/job/list-jobs.ts'
export type { Why } from './app/job/why.ts'
export {
  DistributedLock,
  type DistributedLockOptions,
  type LockOptions,
  type LockOwner,
} from './app/locks/distributed-lock.ts'
export type { HeldLock } from './app/locks/held-lock.ts'
export type { AcquireOptions, Lock } from './app/locks/locks.ts'
export type { AuditEntry, AuditLogFilter, AuditLogProof, ListAuditLog } from './app/log/audit-log.ts'
export type { ActivityBucket, ActivityReport } from './app/reports/activity.ts'
export type { AwayJob, AwayReport } from './app/reports/away.ts'
export type { Forecast, PileUp } from './app/reports/forecast.ts'
export type { Heatmap, HeatmapHour, HeatmapOptions } from './app/reports/heatmap.ts'
export type { Metrics } from './app/reports/metrics.ts'
export type { HealthLevel, Overview } from './app/reports/overview.ts'
export type { Problem } from './app/reports/problems.ts'
export type { BucketOptions, SpanOptions } from './app/reports/span.ts'
export type { Timeline, TimelineOptions, TimelineRun } from './app/reports/timeline.ts'
export type { SourceHandlerOptions } from './app/source/source-options.ts'
export type { SyncResult } from './app/source/sync-source.ts'
export type { RotatedSecrets } from './app/vault/rotate-secrets.ts'
export type { RotateOptions, SecretView } from './app/vault/vault.ts'
export type { ExecutionView, JobView, WaitsView } from './app/views.ts'
export type { WebhookOptions } from './app/webhook/webhook-options.ts'
export type { DeliveryView, WebhookView } from './app/webhook/webhook-view.ts'
export type { CreateWebhook, ListDeliveries, TestedWebhook } from './app/webhook/webhooks.ts'
// The APIs that people know from elsewhere, each with its own list.
export * from './compat/enhanced-scheduler/index.ts'
export * from './compat/interval-scheduler/index.ts'
export * from './compat/leader-log/index.ts'
export * from './compat/persistent-scheduler/index.ts'
export * from './compat/processing/index.ts'
export type { AlertState } from './core/alert/alert.ts'
export type { AlertKind } from './core/alert/alert-kinds.ts'
export type { Severity } from './core/alert/alert-rule.ts'
export type { Usage } from './core/attempt/usage.ts'
export type { CheckInWord } from './core/check-in/check-in.ts'
export { type ErrorCode, type ErrorDetails, type ErrorKind, EvertickError } from './core/error.ts'
export type { Cause, ExecutionError } from './core/execution/execution.ts'
export type { ExecutionState } from './core/execution/execution-state.ts'
export type { WaitReason } from './core/execution/waits.ts'
export type { Statistics } from './core/history/statistics.ts'
export type { SecretReference, WebhookFormat } from './core/job/handler.ts'
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
export { type CronToInterval, cronToInterval } from './core/schedule/cron/cron-to-interval.ts'
export type { DescribeOptions } from './core/schedule/describe-schedule.ts'
export { describeSchedule } from './core/schedule/describe-schedule.ts'
export type { NextTicksOptions, PreviousTicksOptions } from './core/schedule/next-ticks.ts'
export { nextTicks, previousTicks } from './core/schedule/next-ticks.ts'
export type { Duration, Instant, Schedule } from './core/schedule/schedule.ts'
export type { Account, SkipReason } from './core/tick/account.ts'
export type { Verdict } from './core/tick/explain.ts'
export type { Clock } from './engine/clock.ts'
export type { AlertEvent, EventMap, EventName, Listener } from './engine/events.ts'
export type { Logger } from './engine/logger.ts'
export type { Role } from './engine/node.ts'
export type {
  Answer,
  EnqueueOptions,
  EnqueueResult,
  JobContext,
  JobReference,
  StepOptions,
} from './engine/worker/handler.ts'
export { outcome } from './engine/worker/outcome-signal.ts'
export { Evertick } from './evertick.ts'
export type { InvalidEntry } from './sources/api/schedule-entry.ts'
export type { Signalled, SignalTarget, Transaction } from './store/store.ts'
