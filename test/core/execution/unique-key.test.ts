/** What becomes of an event, by the rules of its mode. */
import { expect, test } from 'vitest'
import {
  type EventMode,
  type KeyedEvent,
  placeEvent,
  readyAfter,
  replacedReadyAt,
  untilOf,
} from '../../../src/core/execution/unique-key.ts'

const debounce: KeyedEvent = { mode: 'debounce', key: 'k', withinMs: 10, maxMs: 25 }
const replace: KeyedEvent = { mode: 'replace', key: 'k', withinMs: null, maxMs: null }
const throttle: KeyedEvent = { mode: 'throttle', key: 'k', withinMs: 10, maxMs: null }

test.each<[EventMode, boolean, number | null, ReturnType<typeof placeEvent>]>([
  ['replace', true, null, 'replace'],
  ['replace', false, null, 'follow'],
  ['debounce', true, 105, 'replace'],
  ['debounce', false, 105, 'follow'],
  // Its span is over, but it has not begun; it has begun, but its span is not over; neither.
  ['throttle', true, 99, 'stand'],
  ['throttle', false, 101, 'stand'],
  ['throttle', false, 100, 'follow'],
])('%s, waits: %s, until %s: %s', (mode, waits, untilAt, place) => {
  expect(placeEvent({ mode }, { waits, untilAt }, 100)).toBe(place)
})

test('a debounced execution is put off by each event, and at most so long after the first', () => {
  expect([100, 110, 120].map((now) => readyAfter(debounce, 100, now, now))).toEqual([110, 120, 125])
  expect(readyAfter({ ...debounce, maxMs: null }, 100, 500, 500)).toBe(510)
  expect([debounce, replace, throttle].map((event) => untilOf(event, 100))).toEqual([125, null, 110])
})

test('what replaces keeps the place in the queue, unless it asks for a later instant', () => {
  const waiting = { firstAt: 90, readyAt: 90 }
  expect(replacedReadyAt(replace, waiting, 100, 100)).toBe(90)
  expect(replacedReadyAt(replace, waiting, 100, 200)).toBe(200)
  expect(replacedReadyAt(replace, { ...waiting, readyAt: 500 }, 100, 100)).toBe(100)
})
