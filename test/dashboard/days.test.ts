import { describe, expect, it } from 'vitest'
import {
  clockChangeWords,
  dayExcessMs,
  dayNumber,
  instantOf,
  startOfDay,
} from '../../dashboard/src/words/days.ts'
import { dayOfCivil } from '../../src/core/schedule/civil-day.ts'

const iso = (at: number) => new Date(at).toISOString()

describe('days as a zone counts them', () => {
  it('begin at local midnight', () => {
    const day = dayOfCivil(2026, 11, 17)
    expect(iso(startOfDay(day, 'Europe/Madrid'))).toBe('2026-11-16T23:00:00.000Z')
    expect(iso(startOfDay(day, 'Asia/Kathmandu'))).toBe('2026-11-16T18:15:00.000Z')
    expect(iso(startOfDay(day, 'UTC'))).toBe('2026-11-17T00:00:00.000Z')
  })

  it('are an hour short or long where the clocks change', () => {
    const [spring, autumn] = [dayOfCivil(2026, 3, 29), dayOfCivil(2026, 10, 25)]
    expect(dayExcessMs(spring, 'Europe/Madrid')).toBe(-3_600_000)
    expect(dayExcessMs(autumn, 'Europe/Madrid')).toBe(3_600_000)
    expect(clockChangeWords(spring, 'Europe/Madrid')).toBe('23 h day: clocks go forward')
    expect(clockChangeWords(autumn, 'Europe/Madrid')).toBe('25 h day: clocks go back')
    expect(clockChangeWords(autumn, 'UTC')).toBeNull()
  })

  it('begin when the clocks skip where midnight itself is skipped', () => {
    // Beirut goes from 00:00 to 01:00.
    const day = dayOfCivil(2026, 3, 29)
    const start = startOfDay(day, 'Asia/Beirut')
    expect(iso(start)).toBe('2026-03-28T22:00:00.000Z')
    expect(dayNumber(start, 'Asia/Beirut')).toBe(day)
    expect(dayNumber(start - 1, 'Asia/Beirut')).toBe(day - 1)
  })

  it('follow each other without a gap through the year, in every kind of zone', () => {
    const first = dayOfCivil(2026, 1, 1)
    for (const zone of [
      'Europe/Madrid',
      'America/New_York',
      'Asia/Beirut',
      'Australia/Lord_Howe',
      'America/Havana',
    ]) {
      for (let day = first; day < first + 365; day += 1) {
        const start = startOfDay(day, zone)
        expect(dayNumber(start, zone), `${zone} ${iso(start)}`).toBe(day)
        expect(dayNumber(start - 1, zone), `${zone} ${iso(start)}`).toBe(day - 1)
      }
    }
  })

  it('know the instant at which a clock shows something', () => {
    const local = Date.parse('2026-11-17T14:05:00Z')
    expect(iso(instantOf(local, 'America/New_York'))).toBe('2026-11-17T19:05:00.000Z')
  })
})
