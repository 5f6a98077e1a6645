import type { NewExecution, WorkStore } from '../../store.ts'
import { Gatherer } from '../runtime/gatherer.ts'
import { pulse, type Scripts, unspoken } from '../runtime/scripts.ts'
import { completeWithin } from './complete-within.ts'
import { cancelEnqueued } from './end-execution.ts'
import { enqueueWithin } from './enqueue.ts'
import { SlotEnqueuer } from './enqueue-into-slot.ts'
import { expireLeases, releaseBlocked, releaseClaims } from './expire-leases.ts'
import { finishAttempts, startAttempts } from './finish-attempts.ts'
import { beginReserved, noteStarts, openReserve } from './reserves.ts'
import { appendLogs, findCancelRequests, recordProgress } from './running.ts'

export function workStore({
  driver,
  hot,
  read,
  write,
  telling,
  writeAndTell,
  tellingIf,
  tellWithin,
}: Scripts): WorkStore {
  const writeEnqueues = (rows: readonly NewExecution[]) => write(() => hot.enqueueExecutions(rows))
  // What comes while one waits for the disk shares the next. A commit for every turn on SQLite, or two under way on a
  // server, let a tenth fewer requests of 32 clients through; the latter took a third more of the server's time.
  const plain = new Gatherer(writeEnqueues, 1)
  // May wait for a caller's transaction that has written the same key: others need not wait with it.
  const keyed = new Gatherer(writeEnqueues, Number.POSITIVE_INFINITY)
  const enqueue = async (rows: readonly NewExecution[]) => {
    // Before it is gathered with others: they may stand outside a transaction that this caller is in.
    driver.assertWritable()
    return await (rows.every(({ uniqueKey }) => uniqueKey === null) ? plain : keyed).add(rows)
  }
  const slots = new SlotEnqueuer()
  return {
    enqueueExecutions: (rows, within) =>
      within === undefined
        ? telling(enqueue(rows), 'work')
        : driver.within(within, () => enqueueWithin(rows, hot, tellWithin)),
    enqueueIntoSlot: async (row, offer) => {
      const taken = slots.mayTake(row, offer) ? await write(() => slots.enqueueIntoSlot(row, offer)) : null
      if (taken === null) await telling(enqueue([row]), 'work')
      return taken
    },
    claimExecutions: async (request) => {
      const { ofCancelledJobs, ...result } = await write(() => hot.claimExecutions(request), unspoken)
      if (ofCancelledJobs.length > 0) await write(() => cancelEnqueued(ofCancelledJobs, request.now))
      return result
    },
    extendLeases: (request) => write(() => hot.extendLeases(request), pulse),
    findCancelRequests: (nodeId) => read(() => findCancelRequests(nodeId), pulse),
    startAttempts: (claims, now) => write(() => startAttempts(claims, now, hot), unspoken),
    openReserve: (reserve, now) => write(() => openReserve(reserve, now), unspoken),
    beginReserved: (request) => write(() => beginReserved(request), unspoken),
    noteStarts: (starts) => write(() => noteStarts(starts), unspoken),
    finishAttempts: (request) =>
      tellingIf(
        write(() => finishAttempts(request, hot)),
        ({ lanes }) => lanes > 0 || request.attempts.some(({ ending }) => 'readyAt' in ending),
      ),
    completeWithin: (request) => telling(completeWithin(driver, request, hot), 'work'),
    expireLeases: (request) =>
      tellingIf(
        write(() => expireLeases(request, hot)),
        ({ expired, deadlined }) => expired.length + deadlined > 0,
      ),
    releaseClaims: (claims, now) => writeAndTell(() => releaseClaims(claims, now), 'work'),
    releaseBlocked: (jobIds, now) =>
      tellingIf(
        write(() => releaseBlocked(jobIds, now, hot)),
        ({ released }) => released > 0,
      ),
    recordProgress: (rows) => write(() => recordProgress(rows), unspoken),
    appendLogs: (rows) => write(() => appendLogs(rows), unspoken),
  }
}
