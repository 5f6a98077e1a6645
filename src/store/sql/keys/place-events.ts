/** What becomes of the events of one key, once its row and its execution are held. */
import {
  type KeyedEvent,
  placeEvent,
  readyAfter,
  replacedReadyAt,
  untilOf,
} from '../../../core/execution/unique-key.ts'
import type { Enqueued, NewExecution } from '../../store.ts'
import type { Row } from '../runtime/script.ts'
import { type TiedRow, tiedRow } from '../work/enqueue-tied.ts'
import type { HeldKey, KeyOf } from './key-rows.ts'

export type EventDraft = NewExecution & { readonly event: KeyedEvent }

/** In the order in which they came: the newest is the last. */
export interface Events extends KeyOf {
  readonly job: Row
  readonly drafts: readonly EventDraft[]
}

export interface Placed {
  /** By the draft's id. */
  readonly answers: readonly (readonly [string, Enqueued])[]
  readonly key: HeldKey
  /** When its execution is ready; null where that no longer waits for its first begin. */
  readonly readyAt: number | null
  /** What its execution is given; null where that stays as it was. */
  readonly written: TiedRow | null
}

/** `readyAt` as above, of the execution that the key has. */
export function placeEvents(events: Events, key: HeldKey, readyAt: number | null): Placed {
  let placed: Placed = { answers: [], key, readyAt, written: null }
  for (const draft of events.drafts) placed = afterEvent(placed, draft, events.job)
  return placed
}

function afterEvent({ answers, key, readyAt, written }: Placed, draft: EventDraft, job: Row): Placed {
  const { id, event, createdAt: now } = draft
  const answered = (answer: Enqueued) => [...answers, [id, answer] as const]
  const given = (executionId: string, at: number) =>
    tiedRow({ ...draft, id: executionId, readyAt: at, scheduledFor: at }, job)
  const isOffered = id === key.executionId
  const place = isOffered
    ? 'follow'
    : placeEvent(event, { waits: readyAt !== null, untilAt: key.untilAt }, now)
  if (place === 'follow') {
    const ready = readyAfter(event, now, now, draft.readyAt)
    return {
      answers: answered({ id, created: true }),
      key: isOffered ? key : newKey(key, draft),
      readyAt: ready,
      written: given(id, ready),
    }
  }
  const { executionId, firstAt } = key
  const one = { ...key, events: key.events + 1, lastAt: now }
  if (place === 'stand')
    return { answers: answered({ id: executionId, created: false }), key: one, readyAt, written }
  const ready = replacedReadyAt(event, { firstAt, readyAt: readyAt ?? now }, now, draft.readyAt)
  return {
    answers: answered({ id: executionId, created: false, replaced: true }),
    key: { ...one, untilAt: untilOf(event, firstAt) },
    readyAt: ready,
    written: given(executionId, ready),
  }
}

/** The row of a key whose execution this draft makes. */
export function newKey({ jobId, mode, key }: KeyOf, { id, event, createdAt }: EventDraft): HeldKey {
  const untilAt = untilOf(event, createdAt)
  return { jobId, mode, key, executionId: id, events: 1, firstAt: createdAt, lastAt: createdAt, untilAt }
}
