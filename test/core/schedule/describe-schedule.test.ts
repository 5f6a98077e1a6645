import { describe, expect, test } from 'vitest'
import { describeSchedule } from '../../../src/core/schedule/describe-schedule.ts'
import type { Schedule } from '../../../src/core/schedule/schedule.ts'
import { scheduleWarnings } from '../../../src/core/schedule/schedule-warnings.ts'
import { accepted } from './dialect.ts'

describe('a schedule in words', () => {
  test.each<[Schedule, string]>([
    [{ cron: '0 9 * * 1-5', timezone: 'Europe/Madrid' }, 'At 09:00, Monday through Friday (Europe/Madrid)'],
    [{ cron: '*/15 * * * *' }, 'Every 15 minutes (UTC)'],
    [{ cron: '0 0 1 * 5' }, 'At 00:00, on day 1 of the month, or on Friday (UTC)'],
    [{ cron: '0 0 13 * +FRI' }, 'At 00:00, on day 13 of the month, only on Friday (UTC)'],
    [{ cron: 'H 3 * * *' }, "By cron H 3 * * *, where H is taken from the job's name (UTC)"],
    [{ cron: '0 0 15W,LW * *' }, 'By cron 0 0 15W,LW * * (UTC)'],
    [{ every: '15m' }, 'Every 15 minutes'],
    [{ every: '1h30m', anchor: 'epoch' }, 'Every 1 hour 30 minutes, aligned to the clock (UTC)'],
    [{ every: '1d', anchor: '2027-01-01T06:00Z' }, 'Every 1 day, counted from 2027-01-01T06:00:00.000Z'],
    [{ fixedDelay: '10s' }, '10 seconds after each run ends'],
    [{ at: '2027-01-01T06:00Z' }, 'Once, at 2027-01-01T06:00:00.000Z'],
  ])('%j', (schedule, words) => {
    expect(describeSchedule(schedule)).toBe(words)
  })

  test('knows H from the name, and the zone of the configuration', () => {
    const options = { name: 'nightly-report', timezone: 'Asia/Tokyo' }
    expect(describeSchedule({ cron: 'H 3 * * *' }, options)).toBe('At 03:26 (Asia/Tokyo)')
  })

  test.each(accepted)('has words for $cron', ({ cron }) => {
    expect(describeSchedule({ cron }, { name: 'nightly-report' })).not.toMatch(/^By cron|undefined|null/)
  })
})

describe('warnings', () => {
  const from = Date.UTC(2026, 10, 16)
  const warningsOf = (cron: string, timezone = 'UTC', name?: string) =>
    scheduleWarnings({ kind: 'cron', cron, timezone }, from, name)

  test('name the concrete times that the clock skips and repeats', () => {
    expect(warningsOf('30 2 * * *', 'Europe/Madrid')).toEqual([
      '2027-03-28 02:30 does not exist in Europe/Madrid; the tick runs at 03:00.',
      '2027-10-31 02:30 comes twice in Europe/Madrid; the tick runs the first time only.',
      '2028-03-26 02:30 does not exist in Europe/Madrid; the tick runs at 03:00.',
      '2028-10-29 02:30 comes twice in Europe/Madrid; the tick runs the first time only.',
    ])
    expect(warningsOf('0,30 2 * * *', 'Europe/Madrid').slice(0, 2)).toEqual([
      '2027-03-28 02:00 to 02:30 (2 times) do not exist in Europe/Madrid; one tick for all of them runs at 03:00.',
      '2027-10-31 02:00 to 02:30 (2 times) come twice in Europe/Madrid; those ticks run the first time only.',
    ])
    expect(warningsOf('*/30 2 * * *', 'Europe/Madrid').slice(0, 2)).toEqual([
      '2027-03-28 02:00 to 02:30 (2 times) do not exist in Europe/Madrid; those ticks are left out.',
      '2027-10-31 02:00 to 02:30 (2 times) come twice in Europe/Madrid; those ticks run both times.',
    ])
    // The hour before midnight is skipped: the tick runs on the next day.
    expect(warningsOf('30 23 * * *', 'America/Nuuk')[0]).toBe(
      '2027-03-27 23:30 does not exist in America/Nuuk; the tick runs at 2027-03-28 00:00.',
    )
  })

  test('are silent where nothing is unusual', () => {
    expect(warningsOf('30 2 * * *')).toEqual([])
    expect(warningsOf('0 9 * * 1-5', 'Europe/Madrid')).toEqual([])
    expect(warningsOf('*/15 * * * *', 'Europe/Madrid')).toEqual([])
    expect(scheduleWarnings({ kind: 'every', everyMs: 1000, anchorAt: 0 }, from)).toEqual([])
    expect(warningsOf('H 2 * * *', 'Europe/Madrid')).toEqual([])
    expect(warningsOf('H 2 * * *', 'Europe/Madrid', 'nightly-report')).toHaveLength(4)
  })

  test.each([
    [
      '0 0 1 * 5',
      'Day of month "1" or weekday "5": a day that matches either counts. Write "+5" for days that match both.',
    ],
    ['*/7 * * * *', 'Minute "*/7": from 56 to 0 are 4 minutes, not 7.'],
    ['0 */5 * * *', 'Hour "*/5": from 20 to 0 are 4 hours, not 5.'],
    ['0 0 */2 * *', 'Day of month "*/2" starts again at 1 in each month.'],
    ['0 0 31 * *', 'Months without a day 31 have no tick; "L" is the last day of each month.'],
    ['0 0 29 2 *', 'Rare: the next tick is on 2028-02-29.'],
  ])('tell of %s', (cron, warning) => {
    expect(warningsOf(cron)).toEqual([warning])
  })
})
