/** The port over SQL: each verb is one script, run by the engine's driver. */
import { EvertickError } from '../../core/error.ts'
import type {
  AuditReport,
  ClaimRequest,
  ClaimResult,
  CompleteWithin,
  Enqueued,
  ExtendRequest,
  ExtendResult,
  FinishedAttempt,
  NewExecution,
  ReleaseAt,
  Store,
} from '../store.ts'
import { accountTicks, findDueJobs } from './account-ticks.ts'
import { listAuditLog } from './audit-log.ts'
import { changeJob } from './change-job.ts'
import { createJob } from './create-job.ts'
import type { SqlDriver } from './driver.ts'
import { afterEnded, endedFrom } from './end-execution.ts'
import { expireLeases, releaseBlocked, releaseClaims } from './expire-leases.ts'
import {
  appendLogs,
  countByState,
  findCancelRequests,
  jobRuns,
  jobsChangedSince,
  lastExecutions,
  listExecutions,
  listJobs,
  listLeases,
  listLogs,
  listRevisions,
  recordProgress,
} from './find-jobs.ts'
import { finishAttempts, listAttempts, startAttempts, writeEnding } from './finish-attempts.ts'
import { EnqueueGatherer } from './gather-enqueues.ts'
import { currentLeader, electLeader, endTerm, listTerms, markMissedHandled, renewTerm } from './leadership.ts'
import { acquireLock, extendLock, listLocks, releaseLock } from './locks.ts'
import { backfillJob, cancelExecution, findExecution, retryExecution, triggerJob } from './make-execution.ts'
import {
  findOrphans,
  listHandlers,
  listNodes,
  listQueues,
  pauseQueue,
  registerNode,
  removeNode,
  resumeQueue,
  touchNode,
} from './nodes.ts'
import { purgeHistory } from './purge-history.ts'
import { auditSlice, countAllJobs, explainTicks, type JobAudit } from './read-ledger.ts'
import { text } from './rows.ts'
import { row, type Script, type ScriptContext } from './script.ts'
import { lockJob } from './settle.ts'

/** The verbs that each engine writes by hand. */
export interface HotScripts {
  enqueueExecutions(rows: readonly NewExecution[]): Script<Enqueued[]>
  claimExecutions(request: ClaimRequest): Script<ClaimResult>
  extendLeases(request: ExtendRequest): Script<ExtendResult>
}

const auditSliceJobs = 200
/** Nobody outside hears of these: a power cut may undo them together with everything that followed. */
const unspoken = { durable: false } as const

export function createSqlStore(
  dialect: Store['dialect'],
  driver: SqlDriver,
  hot: HotScripts,
  context: ScriptContext,
): Store {
  const gatherer = new EnqueueGatherer((rows) => write(() => hot.enqueueExecutions(rows)))
  const enqueue = async (rows: readonly NewExecution[]) => {
    // Before it is gathered with others: they may stand outside a transaction that this caller is in.
    driver.assertWritable()
    return await gatherer.add(rows)
  }
  const { read, write } = { read: driver.read.bind(driver), write: driver.write.bind(driver) }
  return {
    dialect,
    close: () => driver.close(),
    ping: async () => void (await read(() => row('SELECT 1 AS alive'))),
    changes: () => driver.changes(),
    sync: () => driver.sync(),

    enqueueExecutions: (rows, within) =>
      within === undefined ? enqueue(rows) : driver.within(within, () => hot.enqueueExecutions(rows)),
    findDueJobs: (until, limit) => read(() => findDueJobs(until, limit)),
    accountTicks: (request) => write(() => accountTicks(request, context), unspoken),
    claimExecutions: (request) => write(() => hot.claimExecutions(request), unspoken),
    extendLeases: (request) => write(() => hot.extendLeases(request), unspoken),
    startAttempts: (claims, now) => write(() => startAttempts(claims, now), unspoken),
    findCancelRequests: (nodeId) => read(() => findCancelRequests(nodeId)),
    finishAttempts: (request) => write(() => finishAttempts(request)),
    expireLeases: (request) => write(() => expireLeases(request)),
    releaseClaims: (claims, now) => write(() => releaseClaims(claims, now)),
    releaseBlocked: (jobIds, now) => write(() => releaseBlocked(jobIds, now)),
    purgeHistory: (request) => write(() => purgeHistory(request)),
    recordProgress: (rows) => write(() => recordProgress(rows), unspoken),
    appendLogs: (rows) => write(() => appendLogs(rows), unspoken),

    createJob: (job) => write(() => createJob(job, context)),
    changeJob: (reference, change, by) => write(() => changeJob(reference, change, by, context)),
    triggerJob: (reference, trigger, by) => write(() => triggerJob(reference, trigger, by)),
    backfillJob: (reference, backfill, by) => write(() => backfillJob(reference, backfill, by, context)),
    findJob: (reference) => read(() => lockJob(reference)),
    listJobs: (query) => read(() => listJobs(query)),
    jobsChangedSince: (since) => read(() => jobsChangedSince(since)),
    listRevisions: (jobId) => read(() => listRevisions(jobId)),
    explainTicks: (reference, from, to, limit, now) =>
      read(() => explainTicks(reference, from, to, limit, now, context)),
    auditLedger: ({ onProgress }) => auditLedger(driver, context, onProgress ?? (() => {})),
    jobRuns: (jobId, limit) => read(() => jobRuns(jobId, limit)),
    countJobs: () => read(() => countByState('jobs')),
    countExecutions: () => read(() => countByState('job_executions')),

    findExecution: (id) => read(() => findExecution(id)),
    listExecutions: (query) => read(() => listExecutions(query)),
    lastExecutions: (jobIds) => read(() => lastExecutions(jobIds)),
    listAttempts: (executionId) => read(() => listAttempts(executionId)),
    listLogs: (executionId) => read(() => listLogs(executionId)),
    cancelExecution: (id, by) => write(() => cancelExecution(id, by)),
    retryExecution: (id, newId, by) => write(() => retryExecution(id, newId, by)),
    listLeases: (filter, now) => read(() => listLeases(filter, now)),

    electLeader: (request) => write(() => electLeader(request, context)),
    renewTerm: (request) => write(() => renewTerm(request), unspoken),
    endTerm: (termId, holder, now) => write(() => endTerm({ termId, holder }, now)),
    markMissedHandled: (termId, now) => write(() => markMissedHandled(termId, now)),
    currentLeader: () => read(() => currentLeader()),
    listTerms: ({ instance, limit }) => read(() => listTerms(instance ?? null, limit)),
    acquireLock: (request) => write(() => acquireLock(request)),
    extendLock: (name, token, expiresAt, now) => write(() => extendLock(name, token, expiresAt, now)),
    releaseLock: (name, token) => write(() => releaseLock(name, token)),
    listLocks: () => read(() => listLocks()),
    registerNode: (node, handlers) => write(() => registerNode(node, handlers)),
    touchNode: (id, now, lostMs) => write(() => touchNode(id, now, lostMs), unspoken),
    removeNode: (id) => write(() => removeNode(id)),
    listNodes: () => read(() => listNodes()),
    listHandlers: () => read(() => listHandlers()),
    findOrphans: (since, now) => write(() => findOrphans(since, now)),
    listQueues: () => read(() => listQueues()),
    pauseQueue: (name, reason, by) => write(() => pauseQueue(name, reason, by)),
    resumeQueue: (name, by) => write(() => resumeQueue(name, by)),
    listAuditLog: (query) => read(() => listAuditLog(query)),

    completeWithin: (request) => completeWithin(driver, request),
  }
}

/** The proof in slices, each a read of its own: a job's cursor and rows are of one moment, the jobs need not be. */
async function auditLedger(
  driver: SqlDriver,
  context: ScriptContext,
  onProgress: (done: number, total: number) => void,
): Promise<AuditReport> {
  const total = await driver.read(() => countAllJobs())
  const reports: JobAudit[] = []
  let lastId: string | null = ''
  while (lastId !== null) {
    const after: string = lastId
    const slice = await driver.read(() => auditSlice(after, auditSliceJobs, context))
    reports.push(...slice.reports)
    lastId = slice.lastId
    onProgress(reports.length, Math.max(total, reports.length))
    await driver.rest()
  }
  const sum = (figure: (report: JobAudit) => number) =>
    reports.reduce((all, report) => all + figure(report), 0)
  return {
    jobs: reports.length,
    ticks: sum((report) => report.ticks),
    executions: sum((report) => report.executions),
    ranges: sum((report) => report.ranges),
    unaccounted: sum((report) => report.unaccounted),
    doubled: sum((report) => report.doubled),
    unverifiable: sum((report) => report.unverifiable),
    findings: reports.flatMap((report) => report.named),
  }
}

/** The handler's writes and the fenced completion, all of it or none: no duplicate orders after a crash. */
async function completeWithin<T>(driver: SqlDriver, request: CompleteWithin<T>): Promise<T> {
  const { claim, nodeId, clock } = request
  let releases: readonly ReleaseAt[] = []
  const result = await driver.exclusive<T>({
    maxMs: request.maxMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    first: function* () {
      const held = yield* row(
        `SELECT id FROM @job_executions WHERE id = ? AND fence = ? AND state = 'running'`,
        claim.id,
        claim.fence,
      )
      if (held === null) throw staleLease(claim.id)
    },
    run: request.run,
    last: function* (result) {
      const ending = request.ending(result)
      const finished: FinishedAttempt = { ...claim, ending, finishedAt: clock.now() }
      releases = yield* finishWithin(finished, nodeId)
    },
  })
  if (releases.length > 0) request.onReleases?.(releases)
  return result
}

function* finishWithin(finished: FinishedAttempt, nodeId: string): Script<readonly ReleaseAt[]> {
  const ended = yield* writeEnding(finished, nodeId)
  if (ended === null) throw staleLease(finished.id)
  if (text(ended.cause) === 'enqueue') return []
  return yield* afterEnded([endedFrom(ended)], finished.finishedAt)
}

function staleLease(id: string): EvertickError {
  return new EvertickError('stale_lease', `The lease of execution ${id} has passed to another worker.`, {
    next: 'Nothing was written. Stop working on it: its signal has been aborted.',
  })
}
