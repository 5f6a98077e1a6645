import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatLocal } from '../../../src/core/schedule/civil-day.ts'
import { parseInstant } from '../../../src/core/schedule/instant.ts'

describe('an instant', () => {
  test.each([
    ['2027-03-28T09:00Z', '2027-03-28T09:00:00.000Z'],
    ['2027-03-28T09:00:30Z', '2027-03-28T09:00:30.000Z'],
    ['2027-03-28T09:00:30.5Z', '2027-03-28T09:00:30.500Z'],
    ['2027-03-28T09:00:30.123456Z', '2027-03-28T09:00:30.123Z'],
    ['2027-03-28T09:00+02:00', '2027-03-28T07:00:00.000Z'],
    ['2027-03-28T09:00-0330', '2027-03-28T12:30:00.000Z'],
    ['2027-03-28 09:00+02', '2027-03-28T07:00:00.000Z'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(parseInstant(text, 'at')).toISOString()).toBe(iso)
  })

  test('is what Date writes, for any year from 0 to 9999', () => {
    const bounds = { min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') }
    fc.assert(
      fc.property(fc.integer(bounds), (at) => {
        const iso = new Date(at).toISOString()
        expect(parseInstant(iso, 'at')).toBe(at)
        expect(parseInstant(new Date(at), 'at')).toBe(at)
        expect(formatLocal(Math.floor(at / 60_000) * 60_000)).toBe(iso.slice(0, 16).replace('T', ' '))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['2027-03-28T09:00', 'at has no offset or Z: "2027-03-28T09:00"'],
    ['2027-03-28', 'at has no offset or Z: "2027-03-28"'],
    ['2027-02-30T00:00Z', 'at is not a real date or time: "2027-02-30T00:00Z"'],
    ['2027-13-01T00:00Z', 'at is not a real date or time: "2027-13-01T00:00Z"'],
    ['2027-03-28T24:00Z', 'at is not a real date or time: "2027-03-28T24:00Z"'],
    ['2027-03-28T23:59:60Z', 'at is not a real date or time: "2027-03-28T23:59:60Z"'],
    ['tomorrow', 'at is not ISO 8601: "tomorrow"'],
    ['Sun, 28 Mar 2027 09:00:00 GMT', 'at is not ISO 8601: "Sun, 28 Mar 2027 09:00:00 GMT"'],
    ['2'.repeat(1000), 'at has 1000 characters'],
    [new Date(Number.NaN), 'at is an invalid Date'],
    [1_800_000_000_000, 'at must be a Date or a string'],
    [undefined, 'at is missing'],
  ])('%j is refused', (value, message) => {
    expect(() => parseInstant(value, 'at')).toThrow(
      expect.objectContaining({ code: 'invalid_instant', field: 'at', message }),
    )
  })
})
