import type { CompatStore } from '../../store.ts'
import { clearExpiredLocks } from '../cluster/locks.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { purgeJob } from '../ticks/purge-history.ts'
import { adoptExecutions, adoptTerms, knownMarks, knownTerms } from './adopt.ts'
import { claimMark, finishMark, purgeMarks } from './enqueue-marks.ts'
import { beginExecution, describeExecution } from './hand-runs.ts'
import { findLeaderLog, insertLeaderLog, updateLeaderLog } from './leader-log.ts'
import { finishedRuns, listRuns } from './tagged-runs.ts'

export function compatStore({ read, write, writeAndTell }: Scripts): CompatStore {
  return {
    beginExecution: (begin) => write(() => beginExecution(begin)),
    describeExecution: (claim, metadata) => write(() => describeExecution(claim, metadata)),
    purgeJob: (reference, ageMs, now) => write(() => purgeJob(reference, ageMs, now)),
    listRuns: (query) => read(() => listRuns(query)),
    finishedRuns: (query) => read(() => finishedRuns(query)),
    insertLeaderLog: (values, now) => write(() => insertLeaderLog(values, now)),
    updateLeaderLog: (where, values, now) => write(() => updateLeaderLog(where, values, now)),
    findLeaderLog: (query) => read(() => findLeaderLog(query)),
    claimMark: (request) => write(() => claimMark(request)),
    finishMark: (request) => write(() => finishMark(request)),
    purgeMarks: (now, limit) => write(() => purgeMarks(now, limit)),
    adoptExecutions: (request) => writeAndTell(() => adoptExecutions(request), 'work'),
    knownMarks: (marks) => read(() => knownMarks(marks)),
    adoptTerms: (terms) => write(() => adoptTerms(terms)),
    knownTerms: (ids) => read(() => knownTerms(ids)),
    clearExpiredLocks: (prefix, now) => write(() => clearExpiredLocks(prefix, now)),
  }
}
