/** Cells as three drivers hand them over. */
import { expect, test } from 'vitest'
import { dataIn, flagIn, instantIn, numberIn, textIn, Unreadable } from '../../../src/compat/adopt/cells.ts'

const noon = Date.parse('2026-01-02T12:00:00Z')

test.each([
  ['2026-01-02 12:00:00', noon],
  ['2026-01-02 12:00:00.250', noon + 250],
  ['2026-01-02 12:00:00.250999', noon + 250],
  ['2026-01-02T12:00:00Z', noon],
  ['2026-01-02 13:00:00+01', noon],
  ['2026-01-02 13:00:00.5+01:00', noon + 500],
  ['2026-01-02', Date.parse('2026-01-02T00:00:00Z')],
  [new Date(noon), noon],
  [noon, noon],
  [noon / 1_000, noon],
  [BigInt(noon), noon],
  [null, null],
  ['', null],
])('the time %s', (at, expected) => {
  expect(instantIn({ at }, 'at')).toBe(expected)
})

test.each(['soon', '2026-02-30 00:00:00', '2026-01-02 25:00:00'])('no time: %s', (at) => {
  expect(() => instantIn({ at }, 'at')).toThrow(Unreadable)
})

test.each([
  [true, true],
  [1, true],
  ['1', true],
  ['t', true],
  [new Uint8Array([1]), true],
  [false, false],
  [0, false],
  ['f', false],
  [new Uint8Array([0]), false],
  [null, null],
])('the flag %s', (on, expected) => {
  expect(flagIn({ on }, 'on')).toBe(expected)
})

test('what is no flag and no number is said, never guessed', () => {
  expect(() => flagIn({ on: 'maybe' }, 'on')).toThrow('its on is neither true nor false')
  expect(() => numberIn({ count: 'many' }, 'count')).toThrow('its count is "many", not a number')
  expect(numberIn({ count: '3' }, 'count')).toBe(3)
})

test('the first of several names that has a value, as text; empty is none', () => {
  expect(textIn({ a: null, b: 7 }, 'a', 'b')).toBe('7')
  expect(textIn({ a: '' }, 'a', 'b')).toBeNull()
  expect(textIn({ a: new TextEncoder().encode('ü') }, 'a')).toBe('ü')
})

test('JSON is read where it is some; any other text stays as it is', () => {
  expect(dataIn('{"a":[1]}')).toEqual({ a: [1] })
  expect(dataIn({ a: 1 })).toEqual({ a: 1 })
  expect(dataIn('{not json')).toBe('{not json')
  expect(dataIn('12')).toBe('12')
  expect(dataIn(new Date(noon))).toBe('2026-01-02T12:00:00.000Z')
})
