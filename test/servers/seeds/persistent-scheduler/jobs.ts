/** What can be done with jobs. */
import { expect, test } from 'vitest'
import { Scheduler } from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { type Context, expectClean, noting, type Ran, read, utc } from './support.ts'

export function standardOperations(): void {
  test('a paused job does not run, also after a restart; resumed, it runs from then on', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = { name: 'daily-backup', schedule: '0 8 * * *', task: noting(ran), ...utc }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    void first.scheduler.pauseJob('daily-backup')
    expect(first.scheduler.getJobState('daily-backup')).toMatchObject({ enabled: false, nextRun: null })
    await stage.advance('1d')
    await stage.end(first)
    expect(read(stage.stateFile).jobs[0]).toMatchObject({ enabled: false })
    await stage.away('1d')
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.advance('1d')
    expect(ran).toEqual([])
    void second.scheduler.resumeJob('daily-backup')
    await stage.advance('1d')
    expect(ran).toEqual(['2026-01-04T08:00:00.000Z'])
    const evertick = await second.scheduler.evertick
    const span = { from: '2026-01-01T00:00:00Z', to: '2026-01-04T00:00:00Z' }
    const { ranges } = await evertick.jobs.explain('daily-backup', span)
    expect(ranges).toMatchObject([{ count: 3, reason: 'paused' }])
    await expectClean(second.scheduler)
  })

  test('a stopped job is gone from the scheduler and from the state', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const { scheduler } = stage.begin()
    await scheduler.schedule({ name: 'daily-backup', schedule: '0 8 * * *', task: noting(ran), ...utc })
    void scheduler.stopJob('daily-backup')
    expect(scheduler.getJob('daily-backup')).toBeUndefined()
    await stage.advance('1d')
    expect(ran).toEqual([])
    expect(scheduler.getAllJobStates().size).toBe(0)
    expect(read(stage.stateFile).jobs).toEqual([])
  })

  test('getJob says when it runs next and whether it runs', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    const task = (context: Context) => stage.clock.sleep(60_000, context.signal)
    await scheduler.schedule({ name: 'daily-backup', schedule: '0 8 * * *', task, ...utc })
    const job = scheduler.getJob('daily-backup')
    expect(job?.nextRun()).toEqual(new Date('2026-01-01T08:00:00.000Z'))
    expect(job?.isRunning()).toBe(false)
    await stage.advance('8h')
    expect(job?.isRunning()).toBe(true)
    expect(job?.nextRun()).toEqual(new Date('2026-01-02T08:00:00.000Z'))
    await stage.advance('1m')
    expect(job?.isRunning()).toBe(false)
  })
}

export function listingJobs(): void {
  test('the jobs that are scheduled, and when they run next', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    await scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {}, ...utc })
    await scheduler.schedule({ name: 'b', schedule: '30 9 * * *', task: () => {}, ...utc })
    expect(scheduler.listJobs().map((job) => `${job.name}: ${job.nextRun()?.toISOString()}`)).toEqual([
      'a: 2026-01-01T08:00:00.000Z',
      'b: 2026-01-01T09:30:00.000Z',
    ])
  })
}

export function properShutdown(): void {
  test('SIGTERM: a running task is waited for, and its end is in the file', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    let ended = false
    const task = async () => {
      await stage.clock.sleep(10_000)
      ended = true
    }
    await scheduler.schedule({ name: 'slow', schedule: '0 * * * *', task, ...utc })
    await stage.advance('1h')
    const stopping = scheduler.shutdown()
    await stage.advance('9s')
    expect(ended).toBe(false)
    await stage.advance('1s')
    await stopping
    await scheduler.shutdown()
    expect(ended).toBe(true)
    expect(read(stage.stateFile).jobs[0]).toMatchObject({ currentRunCount: 1, unfinished: [] })
  })
}

export function monitoring(): void {
  test('onError hears of the failure, in place of the log', async () => {
    const stage = new Stage()
    const heard: unknown[] = []
    const { scheduler, said } = stage.begin({ onError: (error, name) => heard.push([name, String(error)]) })
    const fails = (word: string) => () => {
      throw new Error(word)
    }
    const hourly = { schedule: '0 * * * *', ...utc }
    const onError = (error: unknown) => heard.push(error instanceof Error ? error.message : error)
    await scheduler.schedule({ name: 'monitored-job', ...hourly, task: fails('own'), onError })
    await scheduler.schedule({ name: 'other', ...hourly, task: fails('shared') })
    await stage.advance('1h')
    expect(new Set(heard.map(String))).toEqual(new Set(['other,Error: shared', 'own']))
    expect(said.filter((line) => line.startsWith('error:'))).toEqual([])
    expect(scheduler.getAllJobStates().size).toBe(2)
  })
}

export function integration(): void {
  test('the basic Scheduler has the same calls; what it misses is gone', async () => {
    const clock = new ManualClock('2026-01-01T00:00:00Z')
    const before = new Scheduler({ clock })
    const job = await before.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {}, ...utc })
    expect(job.nextRun()).toEqual(new Date('2026-01-01T08:00:00.000Z'))
    await before.pauseJob('a')
    expect(before.getJob('a')?.nextRun()).toBeNull()
    await before.resumeJob('a')
    expect(before.listJobs().map(({ name }) => name)).toEqual(['a'])
    await before.stopJob('a')
    expect(before.listJobs()).toEqual([])
    await before.shutdown()
    const catchUp = { name: 'a', schedule: '0 8 * * *', task: () => {}, catchUp: true }
    await expect(new Scheduler({ clock }).schedule(catchUp)).rejects.toMatchObject({ field: 'catchUp' })
  })

  test('PersistentScheduler takes its place with one changed line', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin({ defaultCatchUp: true })
    const job = await scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {}, ...utc })
    expect(job.name).toBe('a')
  })
}
