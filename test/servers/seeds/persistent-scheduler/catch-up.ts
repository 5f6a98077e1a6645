/** What becomes of missed runs. */
import { expect, test, vi } from 'vitest'
import { PersistentScheduler } from '../../../../src/index.ts'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { expectClean, noting, type Ran, read, utc } from './support.ts'

export function howItWorks(): void {
  test('execution times are on disk, and what should have run since then runs, up to the limit', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = { name: 'hourly', schedule: '0 * * * *', task: noting(ran), maxMissedRuns: 4, ...utc }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    await stage.advance('1h')
    expect(read(stage.stateFile).jobs[0]).toMatchObject({ lastRun: '2026-01-01T01:00:00.000Z' })
    await stage.crash(first)
    await stage.away('3h30m')
    const second = stage.begin()
    await second.scheduler.initialize()
    await stage.settle()
    expect(ran).toHaveLength(1)
    await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran.map((at) => at.slice(11, 13))).toEqual(['01', '02', '03', '04'])
    await expectClean(second.scheduler)
  })
}

export function exampleScenario(): void {
  // The page forgets Day 4's own 08:00, which has passed at 10:00, too: the newest two are those of Days 3 and 4, and
  // Day 2 is beyond the limit. The page names Days 2 and 3.
  test('Days 3 and 4 run, and Day 2 is over the limit', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = {
      name: 'daily-backup',
      schedule: '0 8 * * *',
      task: noting(ran),
      catchUp: true,
      maxMissedRuns: 2,
      ...utc,
    }
    const dayOne = stage.begin()
    await dayOne.scheduler.schedule(job)
    await stage.advance('9h')
    expect(ran).toEqual(['2026-01-01T08:00:00.000Z'])
    await stage.end(dayOne)
    stage.clock.moveTo(Date.parse('2026-01-04T10:00:00Z'))
    const dayFour = stage.begin()
    await dayFour.scheduler.schedule(job)
    await stage.settle()
    expect(ran.slice(1)).toEqual(['2026-01-03T08:00:00.000Z', '2026-01-04T08:00:00.000Z'])
    const evertick = await dayFour.scheduler.evertick
    const { ticks } = await evertick.jobs.explain('daily-backup', {
      from: '2026-01-02T00:00:00Z',
      to: '2026-01-05T00:00:00Z',
    })
    expect(ticks.map(({ account, reason }) => reason ?? account)).toEqual([
      'over_limit',
      'caught_up',
      'caught_up',
    ])
    await expectClean(dayFour.scheduler)
  })
}

export function configurationExamples(): void {
  test('always, never and limited', async () => {
    const stage = new Stage()
    const ran: Record<string, Ran> = { 'critical-job': [], 'optional-job': [], 'moderate-job': [] }
    const task = (name: string) => noting(ran[name] ?? [])
    const jobs = [
      { name: 'critical-job', schedule: '0 */6 * * *', catchUp: true, maxMissedRuns: 10 },
      { name: 'optional-job', schedule: '0 12 * * *', catchUp: false },
      { name: 'moderate-job', schedule: '0 */2 * * *', catchUp: true, maxMissedRuns: 3 },
    ].map((job) => ({ ...job, ...utc, task: task(job.name) }))
    const first = stage.begin()
    for (const job of jobs) await first.scheduler.schedule(job)
    await stage.end(first)
    stage.clock.moveTo(Date.parse('2026-01-02T13:00:00Z'))
    const second = stage.begin()
    for (const job of jobs) await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran['critical-job']?.map((at) => at.slice(8, 13))).toEqual([
      '01T06',
      '01T12',
      '01T18',
      '02T00',
      '02T06',
      '02T12',
    ])
    expect(ran['optional-job']).toEqual([])
    expect(ran['moderate-job']?.map((at) => at.slice(8, 13))).toEqual(['02T08', '02T10', '02T12'])
    await expectClean(second.scheduler)
  })
}

export function reasonableLimits(): void {
  test('two of every five minutes, and a week of days', async () => {
    const stage = new Stage()
    const ran: Record<string, Ran> = { 'frequent-job': [], 'daily-job': [] }
    const jobs = [
      { name: 'frequent-job', schedule: '*/5 * * * *', maxMissedRuns: 2 },
      { name: 'daily-job', schedule: '0 2 * * *', maxMissedRuns: 7 },
    ].map((job) => ({ ...job, ...utc, task: noting(ran[job.name] ?? []) }))
    const first = stage.begin()
    for (const job of jobs) await first.scheduler.schedule(job)
    await stage.end(first)
    stage.clock.moveTo(Date.parse('2026-01-20T12:02:00Z'))
    const second = stage.begin()
    for (const job of jobs) await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran['frequent-job']).toEqual(['2026-01-20T11:55:00.000Z', '2026-01-20T12:00:00.000Z'])
    expect(ran['daily-job']?.map((at) => at.slice(8, 10))).toEqual(['14', '15', '16', '17', '18', '19', '20'])
    await expectClean(second.scheduler)
  })
}

export function debugging(): void {
  test('what was missed and what is caught up is told, on the console too, as lines for programs where it is no terminal', async () => {
    const stage = new Stage()
    const job = { name: 'hourly', schedule: '0 * * * *', task: () => {}, maxMissedRuns: 2, ...utc }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    await stage.end(first)
    await stage.away('5h1s')
    const lines: string[] = []
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
    const scheduler = new PersistentScheduler({
      stateFile: stage.stateFile,
      saveInterval: 5_000,
      clock: stage.clock,
    })
    await scheduler.schedule(job)
    await stage.settle()
    const stopping = scheduler.shutdown()
    await stopping
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'hourly: 5 runs were missed since 2026-01-01T00:00:00.001Z: 2 are caught up, 3 skipped (over_limit)',
      'hourly: catching up on 2026-01-01T04:00:00.000Z (1 of 2)',
      'hourly: catching up on 2026-01-01T05:00:00.000Z (2 of 2)',
    ])
  })
}
