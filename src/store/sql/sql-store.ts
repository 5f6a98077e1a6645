/** The port over SQL: each verb is one script, run by the engine's driver. */
import { type Hints, type HintTopic, noHints } from '../hints.ts'
import type { AccountResult, AuditReport, Enqueued, NewExecution, Store } from '../store.ts'
import {
  addAccess,
  findAccess,
  listAccess,
  liveAccess,
  purgeAccess,
  redeemLink,
  revokeAccess,
} from './access/access.ts'
import { beginKept, endKept, purgeKept } from './access/kept-answers.ts'
import { appendAuditLog, listAuditLog } from './audit/audit-log.ts'
import { purgeAuditLog, sealAuditLog } from './audit/seal-audit-log.ts'
import { verifyAuditLog } from './audit/verify-audit-log.ts'
import { claimMark, finishMark, purgeMarks } from './cluster/enqueue-marks.ts'
import { lastChange } from './cluster/last-change.ts'
import { findLeaderLog, insertLeaderLog, updateLeaderLog } from './cluster/leader-log.ts'
import {
  currentLeader,
  electLeader,
  endTerm,
  listTerms,
  markMissedHandled,
  renewTerm,
} from './cluster/leadership.ts'
import { acquireLock, clearExpiredLocks, extendLock, listLocks, releaseLock } from './cluster/locks.ts'
import {
  changeHandlers,
  findOrphans,
  listHandlers,
  listNodes,
  listQueues,
  pauseQueue,
  registerNode,
  removeNode,
  resumeQueue,
  touchNode,
} from './cluster/nodes.ts'
import { completeWithin } from './executions/complete-within.ts'
import { expireLeases, releaseBlocked, releaseClaims } from './executions/expire-leases.ts'
import { countExecutions, findCancelRequests, listLeases } from './executions/find-executions.ts'
import { finishAttempts, listAttempts, startAttempts } from './executions/finish-attempts.ts'
import { EnqueueGatherer } from './executions/gather-enqueues.ts'
import { beginExecution, describeExecution } from './executions/hand-runs.ts'
import {
  backfillJob,
  cancelExecution,
  findExecution,
  retryExecution,
  triggerJob,
} from './executions/make-execution.ts'
import { appendLogs, listLogs, recordProgress } from './executions/progress.ts'
import { beginReserved, noteStarts, openReserve } from './executions/reserves.ts'
import type { HotScripts } from './hot-scripts.ts'
import { changeJob } from './jobs/change-job.ts'
import { createJob } from './jobs/create-job.ts'
import { countJobs, jobsChangedSince, jobsPerPage, listJobs, listRevisions } from './jobs/find-jobs.ts'
import { countHealth, readHealth } from './jobs/job-health.ts'
import { findJob } from './jobs/lock-job.ts'
import { countMatches, countStatuses, countTags, matchingNames, pageJobs } from './jobs/page-jobs.ts'
import { finishedRuns, jobRuns, listRuns } from './reads/find-runs.ts'
import { lastExecutions } from './reads/last-executions.ts'
import { listExecutions } from './reads/list-executions.ts'
import { managedSpecs, recentRuns, recentTicks } from './reads/newest-of-each.ts'
import { readActivity, readTimeline } from './reads/read-activity.ts'
import { countTicks, countUnfinished, missedTicks, pausedBefore, tickRanges } from './reads/read-troubles.ts'
import { readWaits } from './reads/read-waits.ts'
import { recentExecutions } from './reads/recent-executions.ts'
import type { SqlDriver } from './runtime/driver.ts'
import { pageRows, row, type Script, type ScriptContext, type Step } from './runtime/script.ts'
import { accountTicks, findDueJobs, LeadLost } from './ticks/account-ticks.ts'
import { purgeHistory, purgeJob } from './ticks/purge-history.ts'
import { auditSlice, countAllJobs, explainTicks, type JobAudit } from './ticks/read-ledger.ts'

/** How this store tells other nodes that there is something to look at. */
export interface Signals {
  readonly hints: Hints
  /** The same inside a caller's transaction, where the engine can: heard at its commit. */
  readonly within: ((topic: HintTopic) => Step) | null
}

const work = () => ['work'] as const
const jobsAndWork = () => ['jobs', 'work'] as const
const workIf = (some: boolean): readonly HintTopic[] => (some ? ['work'] : [])

const auditSliceJobs = 200
/** Nobody outside hears of these: a power cut may undo them together with everything that followed. */
const unspoken = { durable: false } as const
/** Long reads. The ledger is a proof only where cursor and rows are of one moment. */
const oneMoment = { snapshot: true } as const
/** These keep a lease alive: on a server they have a connection of their own. */
const pulse = { durable: false, pulse: true } as const

export function createSqlStore(
  dialect: Store['dialect'],
  driver: SqlDriver,
  hot: HotScripts,
  context: ScriptContext,
  signals: Signals = { hints: noHints, within: null },
): Store {
  const { hints } = signals
  /** Says to other nodes, after the commit, what they may want to look at now. */
  const telling = async <T>(
    written: Promise<T>,
    topicsOf: (result: T) => readonly HintTopic[],
  ): Promise<T> => {
    const result = await written
    for (const topic of topicsOf(result)) hints.send(topic)
    return result
  }
  const writeEnqueues = (rows: readonly NewExecution[]) => write(() => hot.enqueueExecutions(rows))
  // What comes while one waits for the disk shares the next. A commit for every turn on SQLite, or two under way on a
  // server, let a tenth fewer requests of 32 clients through; the latter took a third more of the server's time.
  const plain = new EnqueueGatherer(writeEnqueues, 1)
  // May wait for a caller's transaction that has written the same key: others need not wait with it.
  const keyed = new EnqueueGatherer(writeEnqueues, Number.POSITIVE_INFINITY)
  const enqueue = async (rows: readonly NewExecution[]) => {
    // Before it is gathered with others: they may stand outside a transaction that this caller is in.
    driver.assertWritable()
    return await (rows.every(({ uniqueKey }) => uniqueKey === null) ? plain : keyed).add(rows)
  }
  const { read, write } = { read: driver.read.bind(driver), write: driver.write.bind(driver) }
  return {
    dialect,
    close: async (graceMs) => {
      const hushed = hints.close()
      // The last hint may go by a connection of the driver.
      if (graceMs !== 0) await hushed
      await Promise.all([hushed, driver.close(graceMs)])
    },
    ping: async () => void (await read(() => row('SELECT 1 AS alive'), pulse)),
    changes: async () => (await driver.changes()) ?? (await read(() => lastChange(), pulse)),
    get hears() {
      if (!hints.live) return 'nothing'
      return signals.within === null ? 'most' : 'all'
    },
    listen: (listener) => hints.listen(listener),
    longestTransactionMs: driver.longestTransactionMs,
    longestHoldMs: driver.longestHoldMs,
    time: async () => await driver.time(),
    sync: () => driver.sync(),

    enqueueExecutions: (rows, within) =>
      within === undefined
        ? telling(enqueue(rows), work)
        : driver.within(within, () => enqueueWithin(rows, hot, signals)),
    findDueJobs: (until, limit) => read(() => findDueJobs(until, limit)),
    accountTicks: (request) =>
      telling(unlessLeadLost(write(() => accountTicks(request, context, hot), unspoken)), (result) =>
        workIf(result.readyAt !== null),
      ),
    claimExecutions: (request) => write(() => hot.claimExecutions(request), unspoken),
    extendLeases: (request) => write(() => hot.extendLeases(request), pulse),
    openReserve: (reserve, now) => write(() => openReserve(reserve, now), unspoken),
    beginReserved: (request) => write(() => beginReserved(request), unspoken),
    noteStarts: (starts) => write(() => noteStarts(starts), unspoken),
    startAttempts: (claims, now) => write(() => startAttempts(claims, now, hot), unspoken),
    findCancelRequests: (nodeId) => read(() => findCancelRequests(nodeId), pulse),
    finishAttempts: (request) =>
      telling(
        write(() => finishAttempts(request, hot)),
        (result) => workIf(result.lanes > 0 || request.attempts.some(({ ending }) => 'readyAt' in ending)),
      ),
    expireLeases: (request) =>
      telling(
        write(() => expireLeases(request, hot)),
        ({ expired, deadlined }) => workIf(expired.length + deadlined > 0),
      ),
    releaseClaims: (claims, now) =>
      telling(
        write(() => releaseClaims(claims, now)),
        work,
      ),
    releaseBlocked: (jobIds, now) =>
      telling(
        write(() => releaseBlocked(jobIds, now, hot)),
        ({ released }) => workIf(released > 0),
      ),
    beginExecution: (begin) => write(() => beginExecution(begin)),
    describeExecution: (claim, metadata) => write(() => describeExecution(claim, metadata)),
    purgeHistory: (request) => write(() => purgeHistory(request)),
    purgeJob: (reference, ageMs, now) => write(() => purgeJob(reference, ageMs, now)),
    recordProgress: (rows) => write(() => recordProgress(rows), unspoken),
    appendLogs: (rows) => write(() => appendLogs(rows), unspoken),

    createJob: (job) =>
      telling(
        write(() => createJob(job, context)),
        jobsAndWork,
      ),
    changeJob: (reference, change, by) =>
      telling(
        write(() => changeJob(reference, change, by, context)),
        jobsAndWork,
      ),
    triggerJob: (reference, trigger, by) =>
      telling(
        write(() => triggerJob(reference, trigger, by)),
        work,
      ),
    backfillJob: (reference, backfill, by) =>
      telling(
        write(() => backfillJob(reference, backfill, by, context)),
        work,
      ),
    findJob: (reference) => read(() => findJob(reference)),
    listJobs: (query) => read(() => listJobs(query), query.limit > jobsPerPage ? oneMoment : {}),
    pageJobs: (query) => read(() => pageJobs(query)),
    countMatches: (filter, cap) => read(() => countMatches(filter, cap)),
    matchingNames: (filter, limit) => read(() => matchingNames(filter, limit)),
    recentTicks: (jobIds, limit) => read(() => recentTicks(jobIds, limit)),
    recentRuns: (jobIds, limit) => read(() => recentRuns(jobIds, limit)),
    countTags: (limit) => read(() => countTags(limit)),
    jobsChangedSince: (since) => read(() => jobsChangedSince(since)),
    listRevisions: (jobId) => read(() => listRevisions(jobId)),
    managedSpecs: (jobIds) => read(() => managedSpecs(jobIds)),
    explainTicks: (reference, from, to, limit, now) =>
      read(() => explainTicks(reference, from, to, limit, now, context), oneMoment),
    auditLedger: ({ onProgress }) => auditLedger(driver, context, onProgress ?? (() => {})),
    jobRuns: (jobId, limit) => read(() => jobRuns(jobId, limit), limit > pageRows ? oneMoment : {}),
    countJobs: () => read(() => countJobs()),
    countStatuses: (now) => read(() => countStatuses(now), oneMoment),
    countExecutions: () => read(() => countExecutions()),
    readHealth: (jobIds, now) => read(() => readHealth(jobIds, now)),
    countHealth: (now) => read(() => countHealth(now)),

    findExecution: (id) => read(() => findExecution(id)),
    listExecutions: (query) => read(() => listExecutions(query)),
    recentExecutions: (query) => read(() => recentExecutions(query)),
    listRuns: (query) => read(() => listRuns(query)),
    finishedRuns: (query) => read(() => finishedRuns(query)),
    lastExecutions: (jobIds, now) => read(() => lastExecutions(jobIds, now)),
    readWaits: (ids) => read(() => readWaits(ids)),
    listAttempts: (executionId) => read(() => listAttempts(executionId)),
    listLogs: (executionId) => read(() => listLogs(executionId)),
    readActivity: (query) => read(() => readActivity(query), oneMoment),
    readTimeline: (query) => read(() => readTimeline(query), oneMoment),
    countTicks: (...asked) => read(() => countTicks(...asked), oneMoment),
    tickRanges: (...asked) => read(() => tickRanges(...asked), oneMoment),
    countUnfinished: () => read(() => countUnfinished()),
    pausedBefore: (at, limit) => read(() => pausedBefore(at, limit)),
    missedTicks: (termId) => read(() => missedTicks(termId), oneMoment),
    cancelExecution: (id, by) =>
      telling(
        write(() => cancelExecution(id, by)),
        work,
      ),
    retryExecution: (id, newId, by) =>
      telling(
        write(() => retryExecution(id, newId, by)),
        work,
      ),
    listLeases: (filter, now, limit) => read(() => listLeases(filter, now, limit)),

    electLeader: (request) => write(() => electLeader(request, context)),
    renewTerm: (request) => write(() => renewTerm(request), pulse),
    endTerm: (termId, holder, now) =>
      telling(
        write(() => endTerm({ termId, holder }, now)),
        () => ['leader'],
      ),
    markMissedHandled: (termId, now) => write(() => markMissedHandled(termId, now)),
    currentLeader: () => read(() => currentLeader(), pulse),
    listTerms: ({ instance, limit }) => read(() => listTerms(instance ?? null, limit)),
    insertLeaderLog: (values, now) => write(() => insertLeaderLog(values, now)),
    updateLeaderLog: (where, values, now) => write(() => updateLeaderLog(where, values, now)),
    findLeaderLog: (query) => read(() => findLeaderLog(query)),
    claimMark: (request) => write(() => claimMark(request)),
    finishMark: (request) => write(() => finishMark(request)),
    purgeMarks: (now, limit) => write(() => purgeMarks(now, limit)),
    acquireLock: (request) => write(() => acquireLock(request)),
    extendLock: (name, token, expiresAt, now) => write(() => extendLock(name, token, expiresAt, now)),
    releaseLock: (name, token, by) => write(() => releaseLock(name, token, by)),
    listLocks: () => read(() => listLocks()),
    clearExpiredLocks: (prefix, now) => write(() => clearExpiredLocks(prefix, now)),
    registerNode: (node, handlers) => write(() => registerNode(node, handlers)),
    changeHandlers: (id, change) => write(() => changeHandlers(id, change)),
    touchNode: (id, now, lostMs) => write(() => touchNode(id, now, lostMs), pulse),
    removeNode: (id) => write(() => removeNode(id)),
    listNodes: () => read(() => listNodes()),
    listHandlers: () => read(() => listHandlers()),
    findOrphans: (since, now) => write(() => findOrphans(since, now)),
    listQueues: () => read(() => listQueues()),
    pauseQueue: (name, reason, by) => write(() => pauseQueue(name, reason, by)),
    resumeQueue: (name, by) =>
      telling(
        write(() => resumeQueue(name, by)),
        work,
      ),
    listAuditLog: (query) => read(() => listAuditLog(query)),
    appendAuditLog: (entries) => write(() => appendAuditLog(entries)),
    sealAuditLog: (request) => write(() => sealAuditLog(request)),
    verifyAuditLog: ({ head }) => verifyAuditLog(driver, head ?? null),
    purgeAuditLog: (before, by) => write(() => purgeAuditLog(before, by)),

    addAccess: (access, origin) => write(() => addAccess(access, origin)),
    findAccess: (id) => read(() => findAccess(id)),
    liveAccess: (ids, now) => read(() => liveAccess(ids, now)),
    listAccess: (kind, now) => read(() => listAccess(kind, now)),
    revokeAccess: (id, by) => write(() => revokeAccess(id, by)),
    redeemLink: (id, now) => write(() => redeemLink(id, now)),
    beginKept: (request) => write(() => beginKept(request)),
    endKept: (request, end) => write(() => endKept(request, end)),
    purgeAccess: async (now) => (await write(() => purgeAccess(now))) + (await write(() => purgeKept(now))),

    completeWithin: (request) => telling(completeWithin(driver, request, hot), work),
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
    const slice = await driver.read(() => auditSlice(after, auditSliceJobs, context), oneMoment)
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

/** On a server the commit is the caller's, and so is its moment. */
function* enqueueWithin(
  rows: readonly NewExecution[],
  hot: HotScripts,
  { within }: Signals,
): Script<Enqueued[]> {
  const enqueued = yield* hot.enqueueExecutions(rows)
  if (within !== null) yield within('work')
  return enqueued
}

/** A leader whose fence was refused at the end has accounted for nothing. */
async function unlessLeadLost(written: Promise<AccountResult>): Promise<AccountResult> {
  try {
    return await written
  } catch (error) {
    if (error instanceof LeadLost) return error.result
    throw error
  }
}
