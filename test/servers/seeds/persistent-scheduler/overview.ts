/** What it is: one process after another on one state. */
import { expect, test } from 'vitest'
import { nextTicks, Scheduler } from '../../../../src/index.ts'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { Child } from '../../../process/child.ts'
import { expectClean, noting, type Ran, read, script, utc } from './support.ts'

export function scheduler(): void {
  test('it extends the basic scheduler, and a job catches up when the process restarts', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = { name: 'daily', schedule: '0 8 * * *', task: noting(ran), ...utc }
    const first = stage.begin()
    expect(first.scheduler).toBeInstanceOf(Scheduler)
    await first.scheduler.schedule(job)
    await stage.end(first)
    await stage.away('1d')
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran).toEqual(['2026-01-01T08:00:00.000Z'])
    await expectClean(second.scheduler)
  })
}

export function keyFeatures(): void {
  test('persistence and restart resilience: kill -9, and another process goes on with the saved state', async () => {
    const stage = new Stage()
    const config = { stateFile: stage.stateFile }
    const first = new Child(script, config)
    await first.heard('ran')
    await first.heard('ran', ({ at }) => at !== first.all('ran')[0]?.at)
    first.send('SIGKILL')
    await first.exited
    const { lastRun } = read(stage.stateFile).jobs[0] ?? {}
    const second = new Child(script, config)
    const { known } = await second.heard('state')
    expect(known).toMatchObject([{ name: 'every-second', lastRun }])
    const again = await second.heard('ran')
    // At most the run whose end had not been saved comes twice; nothing between the two lives is missing.
    const before = first.all('ran').map(({ at }) => String(at))
    const next = nextTicks({ cron: '* * * * * *' }, { from: before.at(-2) ?? '', count: 2 })
    expect(next.map((at) => at.toISOString())).toContain(again.at)
  })

  test('configurable catch-up: whether, and how many', async () => {
    const stage = new Stage()
    const ran: Record<string, Ran> = { none: [], one: [], three: [] }
    const jobs = [
      { name: 'none', catchUp: false },
      { name: 'one', maxMissedRuns: 1 },
      { name: 'three', maxMissedRuns: 3 },
    ].map((job) => ({ schedule: '0 * * * *', task: noting(ran[job.name] ?? []), ...utc, ...job }))
    const first = stage.begin()
    for (const job of jobs) await first.scheduler.schedule(job)
    await stage.end(first)
    await stage.away('12h30m')
    const second = stage.begin()
    for (const job of jobs) await second.scheduler.schedule(job)
    await stage.settle()
    expect(Object.entries(ran).map(([name, ticks]) => [name, ticks.length])).toEqual([
      ['none', 0],
      ['one', 1],
      ['three', 3],
    ])
    expect(ran.three?.at(-1)).toBe('2026-01-01T12:00:00.000Z')
    await expectClean(second.scheduler)
  })
}

export function basicUsage(): void {
  test('as written: initialize, schedule, and SIGINT ends the process after a graceful shutdown', async () => {
    const stage = new Stage()
    const child = new Child(script, { stateFile: stage.stateFile })
    await child.heard('ran')
    child.send('SIGINT')
    await child.heard('stopped')
    expect(await child.exited).toEqual({ code: 0, signal: null })
    const [job] = read(stage.stateFile).jobs
    expect(job).toMatchObject({ name: 'every-second', currentRunCount: child.all('ran').length })
    expect(child.stderr).toBe('')
  })

  test('the options of its example', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin({ defaultCatchUp: true, defaultMaxMissedRuns: 5 })
    await scheduler.initialize()
    await scheduler.initialize()
    const task = async () => {}
    await scheduler.schedule({
      name: 'daily-report',
      schedule: '0 8 * * *',
      task,
      catchUp: true,
      maxMissedRuns: 3,
    })
    expect(scheduler.getJobState('daily-report')).toMatchObject({ catchUp: true, maxMissedRuns: 3 })
  })
}
