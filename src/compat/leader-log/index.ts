/** Terms of leaders, and what was missed between them. */
export type {
  LeaderLogCoordinatorOptions,
  MissedTask,
  MissedTaskRepair,
} from './coordinator-options.ts'
export { LeaderLogCoordinator } from './leader-log-coordinator.ts'
export { createLeaderLogModel, type LeaderLogModel } from './leader-log-model.ts'
export {
  SchedulerLeaderLogService,
  type SchedulerLeaderLogServiceOptions,
} from './leader-log-service.ts'
export type { FindOptions, LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'
export type { EnqueueOutcome, QueueEntry } from './once-only.ts'
