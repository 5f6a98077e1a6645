/** A date and a time as a field holds them, and the instant that is meant, also where the clock changes. */
import { describe, expect, it } from 'vitest'
import { fieldInstant, fieldText } from '../../dashboard/src/words/zoned-input.ts'

const madrid = 'Europe/Madrid'

describe('a field for a date and a time', () => {
  it('shows an instant by the clock of the zone, and finds it again', () => {
    for (const at of ['2026-07-01T12:05:00.000Z', '2026-12-31T23:30:00.000Z', '2026-03-29T00:59:00.000Z']) {
      for (const zone of [madrid, 'America/New_York', 'Asia/Kathmandu', 'UTC']) {
        expect(fieldInstant(fieldText(at, zone), zone)).toBe(at)
      }
    }
    expect(fieldText('2026-07-01T12:05:00.000Z', madrid)).toBe('2026-07-01T14:05')
  })

  it('means an instant right after the gap by a time that the clocks leave out', () => {
    const meant = fieldInstant('2026-03-29T02:30', madrid) ?? ''
    expect(fieldText(meant, madrid)).toMatch(/^2026-03-29T03:/)
  })

  it('means nothing while it is not written', () => {
    expect(fieldInstant('', madrid)).toBeNull()
  })
})
