import type { ExecutionStore } from '../../store.ts'
import { pageRows } from '../runtime/script.ts'
import { oneMoment, type Scripts } from '../runtime/scripts.ts'
import { listAttempts } from '../work/attempt-rows.ts'
import { listLogs } from '../work/running.ts'
import { listUsages } from '../work/usages.ts'
import { countExecutions, countUnfinished, listLeases } from './find-executions.ts'
import { jobRuns, newestRuns } from './finished-runs.ts'
import { jobUsages } from './job-usages.ts'
import { lastExecutions } from './last-executions.ts'
import { listExecutions } from './list-executions.ts'
import { backfillJob, cancelExecution, findExecution, retryExecution, triggerJob } from './make-execution.ts'
import { mergeTimeline } from './merge-timeline.ts'
import { readActivity, readTimeline } from './read-activity.ts'
import { readWaits } from './read-waits.ts'
import { recentExecutions } from './recent-executions.ts'

export function executionStore({ context, read, writeAndTell }: Scripts): ExecutionStore {
  return {
    triggerJob: (reference, trigger, by) => writeAndTell(() => triggerJob(reference, trigger, by), 'work'),
    backfillJob: (reference, backfill, by) =>
      writeAndTell(() => backfillJob(reference, backfill, by, context), 'work'),
    cancelExecution: (id, by) => writeAndTell(() => cancelExecution(id, by), 'work'),
    retryExecution: (id, retry, by) => writeAndTell(() => retryExecution(id, retry, by), 'work'),
    findExecution: (id) => read(() => findExecution(id)),
    listExecutions: (query) => read(() => listExecutions(query)),
    recentExecutions: (query) => read(() => recentExecutions(query)),
    newestRuns: (limit) => read(() => newestRuns(limit), limit > pageRows ? oneMoment : {}),
    jobRuns: (jobId, limit) => read(() => jobRuns(jobId, limit), oneMoment),
    lastExecutions: (jobIds, now) => read(() => lastExecutions(jobIds, now)),
    readWaits: (ids) => read(() => readWaits(ids)),
    listAttempts: (executionId) => read(() => listAttempts([executionId])),
    listUsages: (executionId) => read(() => listUsages([executionId])),
    jobUsages: (jobId, limit) => read(() => jobUsages(jobId, limit)),
    listLogs: (executionId) => read(() => listLogs([executionId])),
    readActivity: (query) => read(() => readActivity(query), oneMoment),
    readTimeline: (query) => read(() => readTimeline(query), oneMoment),
    mergeTimeline: (query) => read(() => mergeTimeline(query), oneMoment),
    countExecutions: () => read(() => countExecutions()),
    countUnfinished: () => read(() => countUnfinished()),
    listLeases: (filter, now, limit) => read(() => listLeases(filter, now, limit)),
  }
}
