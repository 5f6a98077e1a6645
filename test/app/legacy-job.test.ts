/** The flat words of an interval scheduler, there and back. */
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  changesOfLegacy,
  type LegacyChanges,
  type LegacyJob,
  legacyView,
  optionsOfLegacy,
} from '../../src/app/job/legacy/legacy-job.ts'
import { Evertick } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

async function open(): Promise<Evertick> {
  const evertick = await Evertick.open({ database: 'sqlite::memory:', clock: new ManualClock(now) })
  onTestFinished(() => evertick.stop())
  return evertick
}

async function shown(job: Omit<LegacyJob, 'name'>) {
  const evertick = await open()
  return legacyView(await evertick.jobs.create(optionsOfLegacy({ name: 'crawl', ...job }, now)))
}

async function updated(job: Omit<LegacyJob, 'name'>, changes: LegacyChanges) {
  const evertick = await open()
  const before = await evertick.jobs.create(optionsOfLegacy({ name: 'crawl', ...job }, now))
  const after = await evertick.jobs.update('crawl', changesOfLegacy(before, changes))
  return { after, ...legacyView(after) }
}

describe('there and back', () => {
  test.each([
    [{ interval_minutes: 30 }, { interval_minutes: 30, interval_type: 'minutes', schedule_time: null }],
    [
      { interval_minutes: 90, interval_type: 'minutes' },
      { interval_minutes: 90, interval_type: 'minutes' },
    ],
    [{ interval_minutes: 60 }, { interval_minutes: 60, interval_type: 'minutes' }],
    [
      { interval_minutes: 6, interval_type: 'hours' },
      { interval_minutes: 6, interval_type: 'hours' },
    ],
    [
      { interval_minutes: 1, interval_type: 'days' },
      { interval_minutes: 1, interval_type: 'days' },
    ],
    [{ interval_minutes: 0.5 }, { interval_minutes: 0.5, interval_type: 'minutes' }],
    [
      { schedule_time: '0 9,17 * * 1-5' },
      { interval_minutes: null, interval_type: null, schedule_time: '0 9,17 * * 1-5' },
    ],
    [
      { interval_minutes: 2, interval_type: 'hours', schedule_time: '0 * * * *' },
      { interval_minutes: 2, interval_type: 'hours', schedule_time: '0 * * * *' },
    ],
    [{}, { interval_minutes: null, interval_type: null, schedule_time: null }],
    [{ schedule: { every: '1h' } }, { interval_minutes: 60, interval_type: 'minutes', schedule_time: null }],
    [
      { interval_minutes: 5, max_retries: 0 },
      { max_retries: 0, is_paused: false },
    ],
    [
      { interval_minutes: 5, max_retries: 7, is_paused: true },
      { max_retries: 7, is_paused: true },
    ],
    [{ interval_minutes: 5 }, { max_retries: 2 }],
  ] as const)('%j', async (job, expected) => {
    expect(await shown(job)).toMatchObject(expected)
  })

  test('the interval wins where both are given, and the cron is kept', async () => {
    const options = optionsOfLegacy(
      { name: 'crawl', interval_minutes: 15, schedule_time: '0 * * * *', metadata: { site: 'a' } },
      now,
    )
    expect(options).toEqual({
      name: 'crawl',
      schedule: { every: 900_000 },
      metadata: { site: 'a', legacy: { schedule_time: '0 * * * *', every: 900_000 } },
    })
  })

  test('with neither it is due once, at this instant', () => {
    expect(optionsOfLegacy({ name: 'crawl' }, now)).toEqual({
      name: 'crawl',
      schedule: { at: new Date(now) },
    })
    expect(optionsOfLegacy({ name: 'crawl', runNow: true }, now)).toEqual({
      name: 'crawl',
      schedule: { at: new Date(now) },
    })
    expect(optionsOfLegacy({ name: 'crawl', runNow: false }, now)).toEqual({ name: 'crawl', runNow: false })
  })

  test('the words that are not legacy pass through', () => {
    const job = {
      name: 'crawl',
      handler: 'fetch',
      tags: ['a'],
      input: { url: 'x' },
      retry: { base: '5s' },
    } as const
    expect(optionsOfLegacy({ ...job, interval_minutes: 5, max_retries: 4 }, now)).toEqual({
      ...job,
      metadata: {},
      schedule: { every: 300_000 },
      retry: { base: '5s', attempts: 5 },
    })
  })
})

describe('changes', () => {
  test('what is not given stays', async () => {
    const { after, ...fields } = await updated(
      { interval_minutes: 2, interval_type: 'hours', schedule_time: '0 * * * *', metadata: { site: 'a' } },
      { max_retries: 5 },
    )
    expect(fields).toMatchObject({
      interval_minutes: 2,
      interval_type: 'hours',
      schedule_time: '0 * * * *',
      max_retries: 5,
    })
    expect(after.metadata).toMatchObject({ site: 'a' })
  })

  test('new metadata does not lose the cron that is kept', async () => {
    const { after, schedule_time } = await updated(
      { interval_minutes: 2, schedule_time: '0 * * * *', metadata: { site: 'a' } },
      { metadata: { site: 'b' } },
    )
    expect(schedule_time).toBe('0 * * * *')
    expect(after.metadata['site']).toBe('b')
  })

  test('an interval beside a cron wins; without it, the cron counts again', async () => {
    expect(await updated({ schedule_time: '0 * * * *' }, { interval_minutes: 10 })).toMatchObject({
      interval_minutes: 10,
      schedule_time: '0 * * * *',
      after: { schedule: { every: '10m' } },
    })
    const back = await updated(
      { interval_minutes: 10, schedule_time: '0 * * * *' },
      { interval_minutes: null },
    )
    expect(back).toMatchObject({
      interval_minutes: null,
      schedule_time: '0 * * * *',
      after: { schedule: { cron: '0 * * * *' }, metadata: {} },
    })
  })

  test('a cron beside an interval is only kept', async () => {
    expect(await updated({ interval_minutes: 10 }, { schedule_time: '5 * * * *' })).toMatchObject({
      interval_minutes: 10,
      schedule_time: '5 * * * *',
      after: { schedule: { every: '10m' } },
    })
  })

  test('the unit alone may change', async () => {
    expect(await updated({ interval_minutes: 2 }, { interval_type: 'days' })).toMatchObject({
      interval_minutes: 2,
      interval_type: 'days',
      after: { schedule: { every: '2d' } },
    })
  })

  test('a job that would have neither is refused', async () => {
    await expect(updated({ interval_minutes: 10 }, { interval_minutes: null })).rejects.toMatchObject({
      code: 'invalid_option',
      field: 'interval_minutes',
    })
  })
})

describe('refused, with the field and a next step', () => {
  test.each([
    [{ interval_minutes: 0 }, 'interval_minutes'],
    [{ interval_minutes: -5 }, 'interval_minutes'],
    [{ interval_minutes: Number.NaN }, 'interval_minutes'],
    [{ interval_minutes: 5, interval_type: 'weeks' }, 'interval_type'],
    [{ interval_type: 'hours' }, 'interval_type'],
    [{ interval_minutes: 5, schedule: { every: '5m' } }, 'interval_minutes'],
    [{ schedule_time: '0 * * * *', schedule: { every: '5m' } }, 'schedule_time'],
    [{ interval_minutes: 5, max_retries: -1 }, 'max_retries'],
    [{ interval_minutes: 5, max_retries: 1.5 }, 'max_retries'],
    [{ interval_minutes: 5, max_retries: 2, retry: { attempts: 3 } }, 'max_retries'],
    [{ interval_minutes: 5, is_paused: true, paused: true }, 'is_paused'],
    [{ is_paused: true }, 'is_paused'],
  ])('%j: %s', (job, field) => {
    expect(() => optionsOfLegacy({ name: 'crawl', ...job } as LegacyJob, now)).toThrow(
      expect.objectContaining({ code: 'invalid_option', field }),
    )
  })

  test('a cron that is only kept must be one, too', () => {
    const job = { name: 'crawl', interval_minutes: 5, schedule_time: '61 * * * *' }
    expect(() => optionsOfLegacy(job, now)).toThrow(expect.objectContaining({ code: 'invalid_cron' }))
  })
})
