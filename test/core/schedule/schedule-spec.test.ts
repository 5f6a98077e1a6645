import { describe, expect, test } from 'vitest'
import type { Schedule, ScheduleSpec } from '../../../src/core/schedule/schedule.ts'
import { parseSchedule, sequenceOf } from '../../../src/core/schedule/schedule-spec.ts'

const createdAt = Date.UTC(2027, 0, 1, 0, 0, 5)

describe('a schedule is read into a spec', () => {
  test.each<[Schedule, ScheduleSpec]>([
    [{ cron: ' 0 9 * * 1-5 ' }, { kind: 'cron', cron: '0 9 * * 1-5', timezone: 'Asia/Tokyo' }],
    [
      { cron: '@daily', timezone: 'europe/madrid' },
      { kind: 'cron', cron: '@daily', timezone: 'Europe/Madrid' },
    ],
    [{ every: '15m' }, { kind: 'every', everyMs: 900_000, anchorAt: createdAt }],
    [
      { every: 1000, anchor: 'epoch' },
      { kind: 'every', everyMs: 1000, anchorAt: 0 },
    ],
    [
      { every: '1d', anchor: '1970-01-01T06:00Z' },
      { kind: 'every', everyMs: 86_400_000, anchorAt: 21_600_000 },
    ],
    [{ fixedDelay: '10s' }, { kind: 'fixed_delay', delayMs: 10_000 }],
    [{ at: new Date(0) }, { kind: 'at', at: 0 }],
  ])('%j', (schedule, spec) => {
    const parsed = parseSchedule(schedule, { createdAt, timezone: 'Asia/Tokyo' })
    expect(parsed).toEqual(spec)
    expect(JSON.parse(JSON.stringify(parsed))).toEqual(spec)
  })

  test('the zone is UTC where neither job nor configuration names one', () => {
    expect(parseSchedule({ cron: '@daily' }, { createdAt })).toMatchObject({ timezone: 'UTC' })
  })

  test.each([
    [null, 'invalid_schedule', 'schedule must be an object'],
    ['* * * * *', 'invalid_schedule', 'schedule must be an object'],
    [{}, 'invalid_schedule', 'schedule has none of cron, every, fixedDelay, at'],
    [{ corn: '* * * * *' }, 'invalid_schedule', 'schedule has the unknown key "corn"; did you mean cron?'],
    [
      { cron: '@daily', timeZone: 'UTC' },
      'invalid_schedule',
      'schedule has the unknown key "timeZone"; did you mean timezone?',
    ],
    [{ cron: '@daily', every: '1d' }, 'invalid_schedule', 'schedule has cron and every; only one is allowed'],
    [
      { every: '1d', timezone: 'UTC' },
      'invalid_schedule',
      'schedule has timezone, which cannot be combined with every',
    ],
    [{ anchor: 'epoch' }, 'invalid_schedule', 'schedule has none of cron, every, fixedDelay, at'],
    [{ every: '9ms' }, 'invalid_duration', 'every is 9ms; the minimum is 10ms'],
    [{ fixedDelay: 0 }, 'invalid_duration', 'fixedDelay is 0ms; the minimum is 10ms'],
    [{ every: '1d', anchor: 'monday' }, 'invalid_instant', 'anchor is not ISO 8601: "monday"'],
    [{ cron: '@daily', timezone: 'Nowhere' }, 'invalid_timezone', '"Nowhere" is not a known time zone'],
    [{ cron: '@daily', timezone: null }, 'invalid_timezone', 'timezone must be a string'],
    [{ cron: 5 }, 'invalid_cron', 'cron must be a string'],
    [{ at: 'soon' }, 'invalid_instant', 'at is not ISO 8601: "soon"'],
  ])('%j is refused', (schedule, code, message) => {
    expect(() => parseSchedule(schedule as unknown as Schedule, { createdAt })).toThrow(
      expect.objectContaining({ code, message }),
    )
  })

  test('an H that becomes an impossible date for this job is refused when the name is known', () => {
    const schedule = { cron: '0 0 H(28-31) 2 *' }
    expect(parseSchedule(schedule, { createdAt })).toMatchObject({ kind: 'cron' })
    const refusals = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].filter((hashKey) => {
      try {
        parseSchedule(schedule, { createdAt, hashKey })
        return false
      } catch {
        return true
      }
    })
    expect(refusals.length).toBeGreaterThan(0)
    expect(refusals.length).toBeLessThan(8)
  })
})

describe('the sequence of a spec', () => {
  test('is bounded by [startAt, endAt)', () => {
    const spec = parseSchedule({ every: '1h', anchor: 'epoch' }, { createdAt })
    const hour = 3_600_000
    const sequence = sequenceOf(spec, { startAt: 10 * hour, endAt: 13 * hour })
    expect(sequence.next(0)).toBe(10 * hour)
    expect(sequence.next(11 * hour)).toBe(12 * hour)
    expect(sequence.next(12 * hour)).toBeNull()
    expect(sequence.previous(100 * hour)).toBe(12 * hour)
    expect(sequence.previous(10 * hour)).toBeNull()
    expect(sequence.count(0, 100 * hour)).toBe(3)
    expect(sequence.count(11 * hour, 12 * hour + 1)).toBe(2)
    expect(sequence.count(50 * hour, 60 * hour)).toBe(0)
  })

  test('of an interval starts one interval after the creation, which is no tick of the future', () => {
    const sequence = sequenceOf(parseSchedule({ every: '10s' }, { createdAt }))
    expect(sequence.next(createdAt)).toBe(createdAt + 10_000)
  })

  test('of `at` is one tick', () => {
    const sequence = sequenceOf({ kind: 'at', at: 1000 })
    expect([sequence.next(999), sequence.next(1000)]).toEqual([1000, null])
    expect([sequence.previous(1001), sequence.previous(1000)]).toEqual([1000, null])
    expect([sequence.count(1000, 1001), sequence.count(0, 1000), sequence.count(1001, 5000)]).toEqual([
      1, 0, 0,
    ])
  })

  test('of fixedDelay is empty: its ticks stand in the ledger', () => {
    const spec = parseSchedule({ fixedDelay: '10s' }, { createdAt })
    const sequence = sequenceOf(spec)
    expect([sequence.next(0), sequence.previous(createdAt), sequence.count(0, createdAt)]).toEqual([
      null,
      null,
      0,
    ])
  })

  test('is read once per text and zone; names matter only to H', () => {
    const spec = parseSchedule({ cron: '5 4 * * *', timezone: 'Europe/Madrid' }, { createdAt })
    expect(sequenceOf(spec, { hashKey: 'a' })).toBe(sequenceOf(spec, { hashKey: 'b' }))
    const hashed = parseSchedule({ cron: 'H H * * *' }, { createdAt })
    expect(sequenceOf(hashed, { hashKey: 'a' })).toBe(sequenceOf(hashed, { hashKey: 'a' }))
    expect(sequenceOf(hashed, { hashKey: 'a' }).next(0)).not.toBe(
      sequenceOf(hashed, { hashKey: 'b' }).next(0),
    )
  })

  test('is right after more schedules than are kept', () => {
    for (let index = 0; index < 6000; index++) {
      const cron = `${index % 60} ${Math.floor(index / 60) % 24} ${1 + (Math.floor(index / 1440) % 28)} * *`
      sequenceOf({ kind: 'cron', cron, timezone: 'UTC' })
    }
    expect(sequenceOf({ kind: 'cron', cron: '0 0 1 * *', timezone: 'UTC' }).next(0)).toBe(
      Date.UTC(1970, 1, 1),
    )
  })
})
