/** When a job is due: bounds, jitter and the two days of the year on which clocks are changed. */
import { describe, expect, it } from 'vitest'
import { defineJob, type JobOptions } from '../../src/index.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { afterOutage, at, databaseFile, openNode, secondsOf, tally } from './support.ts'

const idle = () => {}

async function instantsOf(options: JobOptions, seconds: number) {
  const job = defineJob({ name: 'job', ...options, run: idle })
  const node = await openNode({ jobs: [job] })
  await node.advance(`${seconds}s`)
  const ticks = await node.ticks(job)
  expect(await node.evertick.audit()).toMatchObject({ ok: true })
  const { state } = await node.evertick.jobs.get('job')
  return { state, fired: ticks.map(({ scheduledFor }) => secondsOf(scheduledFor)) }
}

describe('bounds', () => {
  it('no tick at or after `endAt`, and the job is completed', async () => {
    const ended = await instantsOf({ schedule: { every: '10s' }, endAt: at(40) }, 60)
    expect(ended).toEqual({ state: 'completed', fired: [10, 20, 30] })
  })

  it('no tick before `startAt`', async () => {
    const ended = await instantsOf({ schedule: { every: '10s' }, startAt: at(30) }, 55)
    expect(ended).toEqual({ state: 'active', fired: [30, 40, 50] })
  })

  it('`maxRuns` runs, and the job is completed', async () => {
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, maxRuns: 3, run: idle })
    const node = await openNode({ jobs: [job] })
    await node.advance('60s')
    expect((await node.executions(job)).map(({ scheduledFor }) => secondsOf(scheduledFor))).toEqual([
      10, 20, 30,
    ])
    expect((await node.evertick.jobs.get('job')).state).toBe('completed')
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: 3 })
  })

  it('`maxRuns` counts what is caught up', async () => {
    const { url } = databaseFile()
    const job = defineJob({ name: 'job', schedule: { every: '10s' }, maxRuns: 5, catchUp: 'all', run: idle })
    const first = await openNode({ database: url, jobs: [job] })
    await first.advance('21s')
    const node = await afterOutage(first, '100s', { database: url, jobs: [job] })
    await node.advance('60s')
    expect(await node.executions(job)).toHaveLength(5)
    expect((await node.evertick.jobs.get('job')).state).toBe('completed')
    expect(await node.evertick.audit()).toMatchObject({ ok: true })
  })

  it('`at` runs once, and the job is completed', async () => {
    const once = await instantsOf({ schedule: { at: at(25) } }, 60)
    expect(once).toEqual({ state: 'completed', fired: [25] })
  })
})

describe('jitter', () => {
  it('starts ticks later, the same for the same tick, never past the next', async () => {
    const job = defineJob({
      name: 'job',
      schedule: { every: '10s' },
      jitter: '60s',
      overlap: 'allow',
      run: idle,
    })
    const node = await openNode({ jobs: [job] })
    await node.advance('8600ms')
    const [early] = await node.executions(job)
    // A trigger takes the tick back; it is decided again when due.
    await node.evertick.jobs.pause('job')
    await node.evertick.jobs.resume('job')
    await node.advance('10m')
    const executions = await node.executions(job)
    expect(executions[0]?.scheduledFor).toEqual(at(10))
    expect(executions[0]?.readyAt).toEqual(early?.readyAt)
    const delays = executions.map(({ readyAt, scheduledFor }) => readyAt.getTime() - scheduledFor.getTime())
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...delays)).toBeLessThan(10_000)
    expect(new Set(delays).size).toBeGreaterThan(30)
    const started = executions.filter(({ startedAt }) => startedAt !== null)
    expect(started.every(({ startedAt, readyAt }) => Number(startedAt) >= Number(readyAt) - 100)).toBe(true)
  })
})

describe('on the days on which Madrid changes its clocks every tick is accounted', () => {
  it.each([
    // 2026-03-29: 02:00 becomes 03:00, at 01:00 UTC.
    ['March, a fixed time inside the gap: at the first instant after it', '30 2 * * *', 'March', ['01:00']],
    ['March, a fixed time outside', '30 3 * * *', 'March', ['01:30']],
    ['March, `*` minutes of the hour that is not there: none', '*/15 2 * * *', 'March', []],
    ['March, a fixed minute of every hour: real instants', '0 * * * *', 'March', hours(0, 23)],
    // 2026-10-25: 03:00 becomes 02:00, at 01:00 UTC.
    ['October, a fixed time inside the fold: its first occurrence', '30 2 * * *', 'October', ['00:30']],
    [
      'October, `*` minutes of the hour that is there twice: both',
      '*/30 2 * * *',
      'October',
      ['00:00', '00:30', '01:00', '01:30'],
    ],
    ['October, every hour: real instants', '0 * * * *', 'October', hours(0, 23)],
  ] as const)('%s', async (_, cron, month, expected) => {
    const day = month === 'March' ? '2026-03-29' : '2026-10-25'
    const clock = new ManualClock(`${day}T00:00:00Z`)
    const start = clock.now()
    clock.jump(-1_000)
    const ran: string[] = []
    const job = defineJob({
      name: 'job',
      schedule: { cron, timezone: 'Europe/Madrid' },
      run: ({ scheduledFor }) => void ran.push(scheduledFor.toISOString().slice(11, 16)),
    })
    const node = await openNode({ clock, jobs: [job] })
    await node.advance(start + 86_400_000 - 5_000 - clock.now())
    expect(ran).toEqual(expected)
    const accounts = tally(await node.ticks(job))
    expect(accounts).toEqual(expected.length === 0 ? {} : { fired: expected.length })
    expect(await node.evertick.audit()).toMatchObject({ ok: true, ticks: expected.length, unverifiable: 0 })
  })

  it.each(['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z'])(
    'an outage over the change from %s is settled to the last tick',
    async (start) => {
      const { url } = databaseFile()
      const jobs = ['30 2 * * *', '*/5 * * * *', '15 1-4 * * *'].map((cron, index) =>
        defineJob({
          name: `job ${index}`,
          schedule: { cron, timezone: 'Europe/Madrid' },
          catchUp: { policy: 'all', maxMissedRuns: 2 },
          overlap: 'allow',
          run: idle,
        }),
      )
      const first = await openNode({ database: url, start, jobs })
      await first.advance('17m')
      const node = await afterOutage(first, '11h', { database: url, jobs })
      await node.advance('1h')
      expect(await node.evertick.audit()).toMatchObject({ ok: true, unaccounted: 0, unverifiable: 0 })
      expect(tally(await node.ticks('job 0'))).toEqual({ caught_up: 1 })
      const ticks = await node.ticks('job 1')
      expect(ticks).toHaveLength((17 + 11 * 60 + 60 - 2) / 5)
    },
  )
})

function hours(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `${String(from + index).padStart(2, '0')}:00`)
}
