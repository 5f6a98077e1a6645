/** Enqueues, each draft in the way that it needs. All of them, or none. */
import type { Enqueued, NewExecution } from '../../store.ts'
import type { HotScripts } from '../hot-scripts.ts'
import { enqueueEvents, isEvent } from '../keys/enqueue-events.ts'
import type { Script } from '../runtime/script.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { enqueueTied } from './enqueue-tied.ts'

/** It waits for nobody who has the same key. */
export function isUnkeyed({ uniqueKey, event }: NewExecution): boolean {
  return uniqueKey === null && event === undefined
}

export function* enqueueExecutions(drafts: readonly NewExecution[], hot: HotScripts): Script<Enqueued[]> {
  const events = drafts.filter(isEvent)
  if (events.length === 0) return yield* enqueueOthers(drafts, hot)
  // First, so that the others are written in the transaction that these begin.
  const ofEvents = (yield* enqueueEvents(events)).values()
  const others = drafts.filter((draft) => !isEvent(draft))
  const ofOthers = (others.length === 0 ? [] : yield* enqueueOthers(others, hot)).values()
  return drafts.flatMap((draft) => (isEvent(draft) ? ofEvents : ofOthers).next().value ?? [])
}

function* enqueueOthers(drafts: readonly NewExecution[], hot: HotScripts): Script<Enqueued[]> {
  const plain = drafts.every(({ ties }) => ties === undefined)
  return (plain ? yield* hot.enqueueExecutions(drafts) : null) ?? (yield* enqueueTied(drafts))
}

/** On a server the commit is the caller's, and so is its moment. */
export function* tellingWithin<T>(enqueue: Script<T>, tellWithin: Scripts['tellWithin']): Script<T> {
  const enqueued = yield* enqueue
  if (tellWithin !== null) yield tellWithin('work')
  return enqueued
}
