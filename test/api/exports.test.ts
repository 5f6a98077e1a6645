/** The public API is a list: a name that comes or goes is a decision, and this test is where it is written down. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { version } from '../../src/app/config/version.ts'
import * as client from '../../src/client/index.ts'
import * as nodeSchedule from '../../src/compat/node-schedule/index.ts'
import * as express from '../../src/http/mounts/express.ts'
import * as fastify from '../../src/http/mounts/fastify.ts'
import * as server from '../../src/http/mounts/server.ts'
import * as evertick from '../../src/index.ts'
import * as testing from '../../src/testing/index.ts'

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest

/** The names that a module of explicit exports gives as types only. */
function typesOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const lists = [...source.matchAll(/^export (type )?\{([^}]*)\}/gm)]
  const guests = [...source.matchAll(/^export \* from '(.*)'/gm)]
  const theirs = guests.flatMap(([, path = '']) => typesOf(join(dirname(file), path)))
  const own = lists.flatMap(([, all, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (all !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '')),
  )
  return [...own, ...theirs].toSorted()
}

test('evertick exports these values', () => {
  expect(Object.keys(evertick).toSorted()).toEqual([
    'DistributedLock',
    'EnhancedScheduler',
    'Evertick',
    'EvertickError',
    'ExecutionRepository',
    'IntervalScheduler',
    'JobHistory',
    'JobRepository',
    'LeaderLogCoordinator',
    'PersistentScheduler',
    'ProcessingJobRepository',
    'ProcessingJobService',
    'ProcessingWorker',
    'ScheduleRepository',
    'ScheduleWatcher',
    'Scheduler',
    'SchedulerLeaderLogService',
    'canCancel',
    'canPause',
    'canResume',
    'canRetry',
    'createLeaderLogModel',
    'cronToInterval',
    'defineConfig',
    'defineJob',
    'describeSchedule',
    'nextTicks',
    'outcome',
    'previousTicks',
    'processingJobService',
    'processingWorker',
  ])
})

test('evertick exports these types', () => {
  expect(typesOf('src/index.ts')).toEqual([
    'Account',
    'AckOptions',
    'AcquireOptions',
    'ActiveExecution',
    'ActiveProcessingJob',
    'ActivityBucket',
    'ActivityReport',
    'ActorOptions',
    'AggregateStats',
    'AlertEvent',
    'AlertKind',
    'AlertState',
    'AlertView',
    'Answer',
    'AnyJob',
    'ApiSource',
    'AttemptView',
    'AuditEntry',
    'AuditLogFilter',
    'AuditLogProof',
    'AuditResult',
    'AwayJob',
    'AwayReport',
    'BackfillView',
    'BackupFileOptions',
    'BackupOptions',
    'BackupResult',
    'BucketOptions',
    'BulkAction',
    'BulkOptions',
    'BulkProgress',
    'BulkResult',
    'CatchUpOptions',
    'CatchUpPolicy',
    'Cause',
    'CheckInAddress',
    'CheckInAnswer',
    'CheckInHandlerOptions',
    'CheckInOptions',
    'CheckInWord',
    'Clock',
    'CommandHandlerOptions',
    'ConnectOptions',
    'ConvertReport',
    'ConvertedJob',
    'CreateJob',
    'CreateProcessingJobOptions',
    'CreateSchedule',
    'CreateWebhook',
    'CronToInterval',
    'DefinedJob',
    'DeliveryView',
    'DescribeOptions',
    'DistributedLockOptions',
    'Duration',
    'EnhancedSchedulerOptions',
    'EnqueueItem',
    'EnqueueOptions',
    'EnqueueOutcome',
    'EnqueueResult',
    'ErrorCode',
    'ErrorDetails',
    'ErrorKind',
    'EventMap',
    'EventName',
    'EvertickOptions',
    'ExecuteSchedule',
    'ExecutionDetail',
    'ExecutionError',
    'ExecutionState',
    'ExecutionView',
    'ExplainedTickView',
    'ExplanationView',
    'FinalStatus',
    'FindOptions',
    'Forecast',
    'FunctionHandlerOptions',
    'HandlerOptions',
    'HasStatus',
    'Health',
    'HealthLevel',
    'HealthState',
    'Heatmap',
    'HeatmapHour',
    'HeatmapOptions',
    'HeldLock',
    'HistoryEntry',
    'HistoryQuery',
    'HistoryStatistics',
    'HistoryStatus',
    'HttpHandlerOptions',
    'Instant',
    'IntervalJob',
    'IntervalSchedulerOptions',
    'IntervalType',
    'InvalidEntry',
    'JobAction',
    'JobContext',
    'JobDefinition',
    'JobInclude',
    'JobList',
    'JobOptions',
    'JobOrder',
    'JobReference',
    'JobState',
    'JobStats',
    'JobStatus',
    'JobView',
    'JobWork',
    'JobsFilter',
    'LeaderLogCoordinatorOptions',
    'LeaderLogModel',
    'LeaderTerm',
    'LegacyChanges',
    'LegacyFields',
    'LegacyJob',
    'LegacyView',
    'ListAlerts',
    'ListAuditLog',
    'ListDeliveries',
    'ListExecutions',
    'ListJobs',
    'ListProcessingJobs',
    'ListedJob',
    'Listener',
    'Lock',
    'LockOptions',
    'LockOwner',
    'LogLine',
    'Logger',
    'ManualJob',
    'Metrics',
    'MissedTask',
    'MissedTaskRepair',
    'NewProcessingJob',
    'NextTicksOptions',
    'OverlapPolicy',
    'Overview',
    'PersistentJobState',
    'PersistentScheduleJobConfig',
    'PersistentSchedulerConfig',
    'PileUp',
    'PreviousTicksOptions',
    'Problem',
    'ProcessingCounts',
    'ProcessingJob',
    'ProcessingJobOptions',
    'ProcessingJobStatus',
    'ProcessingWorkerEvents',
    'ProcessingWorkerOptions',
    'ProcessingWorkerStatus',
    'QueueEntry',
    'QuietOptions',
    'RecentTick',
    'ReleaseStatus',
    'RepositoryOptions',
    'RestoreOptions',
    'RestoreResult',
    'RetentionOptions',
    'RetryOptions',
    'Role',
    'RotateOptions',
    'RotatedSecrets',
    'RuleOptions',
    'RuleView',
    'Run',
    'RunEnd',
    'RunUsageView',
    'Schedule',
    'ScheduleChanges',
    'ScheduleFields',
    'ScheduleFrequency',
    'ScheduleJobConfig',
    'ScheduleRecord',
    'ScheduleWatcherOptions',
    'ScheduledJob',
    'SchedulerConfig',
    'SchedulerLeaderLogModel',
    'SchedulerLeaderLogServiceOptions',
    'Seconds',
    'SecretReference',
    'SecretView',
    'Severity',
    'SignalOptions',
    'SignalTarget',
    'Signalled',
    'SkipReason',
    'SnoozeOptions',
    'SourceHandlerOptions',
    'SpanOptions',
    'StartExecution',
    'Statistics',
    'StatisticsQuery',
    'StepOptions',
    'StepView',
    'SyncOptions',
    'SyncResult',
    'TermView',
    'TestedWebhook',
    'Timeline',
    'TimelineOptions',
    'TimelineRun',
    'Transaction',
    'UpdateJob',
    'UpdateSchedule',
    'Usage',
    'UsageOptions',
    'Verdict',
    'WaitReason',
    'WaitsView',
    'WebhookFormat',
    'WebhookOptions',
    'WebhookView',
    'Why',
  ])
})

test('evertick/testing exports these values and types', () => {
  expect(Object.keys(testing).toSorted()).toEqual(['ManualClock', 'openTestNode', 'runJob'])
  expect(typesOf('src/testing/index.ts')).toEqual(['JobRun', 'RunJobOptions', 'TestNode', 'TestNodeOptions'])
})

test('evertick/server, /express and /fastify export these values and types', () => {
  expect(Object.keys(server).toSorted()).toEqual(['accessOf', 'apiOf', 'serve'])
  expect(typesOf('src/http/mounts/server.ts')).toEqual([
    'ApiOptions',
    'CreatedToken',
    'MountOptions',
    'RunningApi',
    'TokenView',
  ])
  expect(Object.keys(express)).toEqual(['evertickExpress'])
  expect(Object.keys(fastify)).toEqual(['evertickFastify'])
})

test('evertick/client exports these values and types', () => {
  expect(Object.keys(client).toSorted()).toEqual(['EvertickError', 'ProblemError', 'createClient'])
  expect(typesOf('src/client/index.ts')).toEqual([
    'Answer',
    'Body',
    'BulkCallOptions',
    'BulkProgress',
    'CallInput',
    'CallOptions',
    'Client',
    'ClientEvent',
    'ClientOptions',
    'Duration',
    'ErrorCode',
    'ErrorKind',
    'EventsOptions',
    'Execution',
    'ExecutionDetail',
    'Job',
    'LiveEvent',
    'Params',
    'Query',
    'RouteName',
    'Routes',
    'Session',
  ])
})

test('evertick/node-schedule exports these values and types', () => {
  expect(Object.keys(nodeSchedule).toSorted()).toEqual([
    'Job',
    'Range',
    'RecurrenceRule',
    'cancelJob',
    'configure',
    'gracefulShutdown',
    'ready',
    'rescheduleJob',
    'scheduleJob',
    'scheduledJobs',
  ])
  expect(typesOf('src/compat/node-schedule/index.ts')).toEqual([
    'DateRangeSpec',
    'Invocation',
    'JobCallback',
    'JobOptions',
    'JobSpec',
    'NodeScheduleOptions',
    'Recurrence',
    'RecurrenceFields',
    'RecurrenceSegment',
  ])
})

test('every subpath of the package has its source', () => {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [] : [target.default],
  )
  const missing = targets.filter(
    (file) => !existsSync(join(root, file.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))),
  )
  expect(targets.length).toBeGreaterThan(0)
  expect(missing).toEqual([])
})

test('the version in the code is that of package.json', () => {
  expect(version).toBe(manifest.version)
})
