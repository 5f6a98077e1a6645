/** The period of an instant, on the clock of a zone. */
import { expect, test } from 'vitest'
import { checkedPer, periodOf } from '../../../src/core/dependency/period.ts'

const at = (text: string) => Date.parse(text)

test.each([
  // The day has 23 hours, and 25.
  ['day', 'Europe/Madrid', '2027-03-28T12:00:00Z', '2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z'],
  ['day', 'Europe/Madrid', '2027-10-31T12:00:00Z', '2027-10-30T22:00:00Z', '2027-10-31T23:00:00Z'],
  ['day', 'UTC', '2027-01-04T00:00:00Z', '2027-01-04T00:00:00Z', '2027-01-05T00:00:00Z'],
  ['day', 'UTC', '2027-01-03T23:59:59.999Z', '2027-01-03T00:00:00Z', '2027-01-04T00:00:00Z'],
  // Midnight falls into a gap: the day begins at one.
  ['day', 'America/Sao_Paulo', '2018-11-04T12:00:00Z', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'],
  ['hour', 'Asia/Kolkata', '2027-01-04T00:10:00Z', '2027-01-03T23:30:00Z', '2027-01-04T00:30:00Z'],
  ['90m', 'UTC', '2027-01-04T02:00:00Z', '2027-01-04T01:30:00Z', '2027-01-04T03:00:00Z'],
])('%s in %s: %s', (length, timezone, instant, from, to) => {
  expect(periodOf({ length, timezone }, at(instant))).toEqual({ from: at(from), to: at(to) })
})

test('what is no period is refused', () => {
  expect(() => checkedPer({ length: 'week', timezone: 'UTC' })).toThrow('per.length')
  expect(() => checkedPer({ length: '5s', timezone: 'UTC' })).toThrow('at least 1m')
  expect(() => checkedPer({ length: 'day', timezone: 'Mars/North' })).toThrow('Mars/North')
})
