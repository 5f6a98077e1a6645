import type { Lifelines } from '../../lifeline.ts'
import type { ClusterStore, Store } from '../../store.ts'
import { oneMoment, pulse, type Scripts } from '../runtime/scripts.ts'
import { currentLeader, electLeader, endTerm, listTerms, markMissedHandled, renewTerm } from './leadership.ts'
import { acquireLock, extendLock, listLocks, releaseLock } from './locks.ts'
import {
  changeHandlers,
  findOrphans,
  listHandlers,
  listNodes,
  registerNode,
  removeNode,
  touchNode,
} from './nodes.ts'
import { listQueues, pauseQueue, resumeQueue } from './queues.ts'
import { serverFacts } from './server-facts.ts'
import { tableSizes } from './table-sizes.ts'

export function clusterStore(
  { context, read, write, writeAndTell }: Scripts,
  lifelines: Lifelines,
  dialect: Store['dialect'],
): ClusterStore {
  return {
    electLeader: (request) => write(() => electLeader(request, context)),
    renewTerm: (request) => write(() => renewTerm(request), pulse),
    endTerm: (termId, holder, now) => writeAndTell(() => endTerm({ termId, holder }, now), 'leader'),
    markMissedHandled: (termId, now) => write(() => markMissedHandled(termId, now)),
    currentLeader: () => read(() => currentLeader(), pulse),
    checkLifeline: (name) => lifelines.check(name),
    listTerms: ({ instance, limit }) => read(() => listTerms(instance ?? null, limit)),
    acquireLock: (request) => write(() => acquireLock(request)),
    extendLock: (name, token, expiresAt, now) => write(() => extendLock(name, token, expiresAt, now)),
    releaseLock: (name, token, by) => write(() => releaseLock(name, token, by)),
    listLocks: () => read(() => listLocks()),
    registerNode: (node, handlers) => write(() => registerNode(node, handlers)),
    changeHandlers: (id, change) => write(() => changeHandlers(id, change)),
    touchNode: (id, now, lostMs) => write(() => touchNode(id, now, lostMs), pulse),
    removeNode: (id) => write(() => removeNode(id)),
    listNodes: () => read(() => listNodes()),
    listHandlers: () => read(() => listHandlers()),
    findOrphans: (since, now) => write(() => findOrphans(since, now)),
    listQueues: () => read(() => listQueues()),
    pauseQueue: (name, reason, by) => write(() => pauseQueue(name, reason, by)),
    resumeQueue: (name, by) => writeAndTell(() => resumeQueue(name, by), 'work'),
    tableSizes: () => read(() => tableSizes(dialect), oneMoment),
    serverFacts: () => read(() => serverFacts(dialect)),
  }
}
