/** News is gathered for a moment, and waits for the end of quiet hours, by the clock of their zone. */
import { describe, expect, test } from 'vitest'
import { isQuiet, mayTell } from '../../../src/core/alert/telling.ts'

const at = (text: string) => Date.parse(text)

describe('quiet hours', () => {
  const night = { from: 22 * 60, to: 7 * 60, timezone: 'Europe/Madrid' }

  test('may lie on both sides of midnight, and begin and end by the clock of the zone', () => {
    // Madrid is an hour ahead of UTC in winter, two in summer.
    expect(isQuiet(night, at('2027-01-04T20:59:00Z'))).toBe(false)
    expect(isQuiet(night, at('2027-01-04T21:00:00Z'))).toBe(true)
    expect(isQuiet(night, at('2027-01-05T05:59:00Z'))).toBe(true)
    expect(isQuiet(night, at('2027-01-05T06:00:00Z'))).toBe(false)
    expect(isQuiet(night, at('2027-07-05T04:59:00Z'))).toBe(true)
    expect(isQuiet(night, at('2027-07-05T05:00:00Z'))).toBe(false)
  })

  test('within a day are those between their times', () => {
    const noon = { from: 12 * 60, to: 14 * 60, timezone: 'UTC' }
    expect(isQuiet(noon, at('2027-01-04T11:59:59Z'))).toBe(false)
    expect(isQuiet(noon, at('2027-01-04T12:00:00Z'))).toBe(true)
    expect(isQuiet(noon, at('2027-01-04T14:00:00Z'))).toBe(false)
  })

  test('hold back what there is to tell; it is told when they end', () => {
    const openedAt = at('2027-01-04T23:00:00Z')
    expect(mayTell({ quiet: night }, openedAt, at('2027-01-05T05:59:00Z'))).toBe(false)
    expect(mayTell({ quiet: night }, openedAt, at('2027-01-05T06:00:00Z'))).toBe(true)
  })
})

test('what opens within ten seconds is told together', () => {
  expect(mayTell({ quiet: null }, 0, 9_999)).toBe(false)
  expect(mayTell({ quiet: null }, 0, 10_000)).toBe(true)
})
