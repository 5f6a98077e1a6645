/**
 * Enqueues under a key that stands for many events. The key's row is held until the commit, so that the events of one key come
 * one after the other. Whether its execution still waits is asked of that execution's own row, which is held, too: no claim
 * begins what an event is about to change.
 */
import type { Enqueued, NewExecution } from '../../store.ts'
import { text } from '../runtime/rows.ts'
import { insertAll, plain, type Row, type Script } from '../runtime/script.ts'
import { mostTries, unsettled } from '../work/enqueue.ts'
import { openJobs, tiedColumns } from '../work/enqueue-tied.ts'
import { endReplaced, holdWaiting, replaceInput, type WaitingExecution } from './held-executions.ts'
import { followKey, type HeldKey, holdKeys, insertKeys, noteEvents, offerKeys } from './key-rows.ts'
import { type EventDraft, type Events, newKey, type Placed, placeEvents } from './place-events.ts'

export function isEvent(draft: NewExecution): draft is EventDraft {
  return draft.event !== undefined
}

export function* enqueueEvents(drafts: readonly EventDraft[]): Script<Enqueued[]> {
  const jobs = yield* openJobs(drafts)
  const held = yield* holdAll(eventsOf(drafts, jobs))
  const waiting = yield* holdWaiting(held.filter(asksRow).map(({ key }) => key.executionId))
  const settled = held.map(({ events, key }) => {
    const old = waiting.get(key.executionId)
    return {
      events,
      was: key,
      old,
      ...placeEvents(events, key, old?.isUntried === true ? old.readyAt : null),
    }
  })
  yield* write(settled)
  const answers = new Map(settled.flatMap((one) => one.answers))
  return drafts.map(({ id }) => answers.get(id) ?? { id, created: false })
}

interface Held {
  readonly events: Events
  readonly key: HeldKey
}

/** Not of a key that is new, and not where a span decides. */
function asksRow({ key, events: { drafts } }: Held): boolean {
  if (drafts.some(({ id }) => id === key.executionId)) return false
  return key.mode !== 'throttle' || drafts.some(({ createdAt }) => createdAt >= (key.untilAt ?? 0))
}

/** In the order in which everybody holds keys. */
function eventsOf(drafts: readonly EventDraft[], jobs: ReadonlyMap<string, Row>): Events[] {
  const byKey = new Map<string, Events & { readonly drafts: EventDraft[] }>()
  for (const draft of drafts) {
    const job = jobs.get(draft.jobName) ?? {}
    const { mode } = draft.event
    const [jobId, key] = [text(job.id), String(plain(draft.event.key))]
    const name = JSON.stringify([jobId, mode, key])
    const events = byKey.get(name)
    if (events === undefined) byKey.set(name, { job, jobId, mode, key, drafts: [draft] })
    else events.drafts.push(draft)
  }
  const ordered = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))
  return ordered.map(([, events]) => events)
}

/** Rows are made or found, then held, then asked: of two who make one at once, the second finds the first one's. */
function* holdAll(all: readonly Events[]): Script<Held[]> {
  const held: Held[] = []
  const groups = Map.groupBy(all, ({ jobId, mode }) => `${jobId} ${mode}`)
  for (const group of groups.values()) {
    let open = group
    for (let tries = 0; open.length > 0; tries += 1) {
      if (tries === mostTries) throw unsettled()
      yield* offerKeys(
        open.flatMap((events) => events.drafts.slice(0, 1).map((draft) => newKey(events, draft))),
      )
      const found = new Map((yield* holdKeys(open)).map((key) => [key.key, key]))
      for (const events of open) {
        const key = found.get(events.key)
        if (key !== undefined) held.push({ events, key })
      }
      open = open.filter(({ key }) => !found.has(key))
    }
  }
  return held
}

interface Settled extends Placed {
  readonly events: Events
  readonly was: HeldKey
  readonly old: WaitingExecution | undefined
}

function* write(settled: readonly Settled[]): Script<void> {
  const now = settled.reduce((latest, { key }) => Math.max(latest, key.lastAt), 0)
  const following = settled.filter(({ key, was }) => key.executionId !== was.executionId)
  for (const { key, was } of following) yield* followKey(was, key.executionId)
  // What rests is under way: it goes on, and the event comes after it.
  const again = following.filter(({ old }) => old !== undefined && !old.rests)
  yield* endReplaced(
    again.map(({ was }) => was.executionId),
    now,
  )
  const isMade = ({ key, events }: Settled) => events.drafts.some(({ id }) => id === key.executionId)
  for (const { written } of settled.filter((one) => !isMade(one)))
    if (written !== null) yield* replaceInput(written)
  const made = settled.filter(isMade).flatMap(({ written }) => (written === null ? [] : [written]))
  yield* insertAll('live_executions', tiedColumns, made)
  yield* insertKeys(following.map(({ key }) => key))
  for (const one of settled) if (!following.includes(one) && one.key.events > 1) yield* noteEvents(one.key)
}
