/**
 * Within step 3 of the flow: what becomes of an event whose key an execution stands for already. `keep` is a unique key of the
 * execution's own row; the other modes are decided here, by a row of the key.
 */
import { keysOf } from '../table-keys.ts'

/** What a mode does with the events of one key. */
export const uniqueModes = {
  keep: 'the first stands until it has ended',
  replace: 'the newest stands until it begins',
  debounce: 'the newest stands, and each event puts it off',
  throttle: 'the first stands for a while',
} as const
export type UniqueMode = keyof typeof uniqueModes
export const allUniqueModes = keysOf(uniqueModes)

/** A mode whose key has a row of its own. */
export type EventMode = Exclude<UniqueMode, 'keep'>
export const eventModes = allUniqueModes.filter((mode) => mode !== 'keep')

/** An enqueue under such a key. */
export interface KeyedEvent {
  readonly mode: EventMode
  readonly key: string
  /** Of `debounce` and `throttle`, else null. */
  readonly withinMs: number | null
  /** Of `debounce`: so long after the first event it is put off no further. */
  readonly maxMs: number | null
}

/** The executions that events were enqueued as: how many one stands for, and since when. */
export interface StandsFor {
  readonly mode: EventMode
  readonly key: string
  readonly events: number
  readonly firstAt: number
  readonly lastAt: number
  /** `debounce`: it is put off to here at most. `throttle`: until here, all events are this one's. */
  readonly untilAt: number | null
  /** The execution that a later event made, since this one no longer waited. */
  readonly followedBy: string | null
}

/** Until when the key holds whatever becomes of its execution, or at most puts it off; null where it does neither. */
export function untilOf({ mode, withinMs, maxMs }: KeyedEvent, firstAt: number): number | null {
  const ms = mode === 'throttle' ? withinMs : mode === 'debounce' ? maxMs : null
  return ms === null ? null : firstAt + ms
}

/** When an execution is to begin that stands for events from `firstAt` on: the last came at `now`, and asks for `readyAt`. */
export function readyAfter(event: KeyedEvent, firstAt: number, now: number, readyAt: number): number {
  const { mode, withinMs } = event
  if (mode !== 'debounce' || withinMs === null) return readyAt
  return Math.min(now + withinMs, untilOf(event, firstAt) ?? Number.POSITIVE_INFINITY)
}

/** The same where one waits already: an event that asks for no later instant leaves it its place in the queue. */
export function replacedReadyAt(
  event: KeyedEvent,
  waiting: { readonly firstAt: number; readonly readyAt: number },
  now: number,
  readyAt: number,
): number {
  if (event.mode === 'debounce') return readyAfter(event, waiting.firstAt, now, readyAt)
  return readyAt <= now ? Math.min(waiting.readyAt, readyAt) : readyAt
}

/** What holds of a key's execution when an event comes. */
export interface Standing {
  /** Nobody has begun it, and it is not a second try: what it was given can still change. */
  readonly waits: boolean
  readonly untilAt: number | null
}

/**
 * `stand`: the execution there is stands for the event as it is. `replace`: it is given what the event brings. `follow`: the
 * event makes one of its own, so that what comes during a run is never lost.
 */
export function placeEvent(
  { mode }: Pick<KeyedEvent, 'mode'>,
  { waits, untilAt }: Standing,
  now: number,
): 'stand' | 'replace' | 'follow' {
  if (mode !== 'throttle') return waits ? 'replace' : 'follow'
  return waits || (untilAt !== null && now < untilAt) ? 'stand' : 'follow'
}

export function eventsText(events: number): string {
  return events === 1 ? '1 event' : `${events} events`
}
