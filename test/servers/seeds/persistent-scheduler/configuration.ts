/** Its options, each with its default. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PersistentScheduler, type PersistentSchedulerConfig } from '../../../../src/index.ts'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { type Context, expectClean, noting, type Ran, read, utc } from './support.ts'

export function schedulerConfig(): void {
  test('stateFile: .scheduler-state.json by default', async () => {
    const stage = new Stage()
    const before = process.cwd()
    process.chdir(stage.folder)
    onTestFinished(() => process.chdir(before))
    const scheduler = new PersistentScheduler({ clock: stage.clock })
    await scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {} })
    await scheduler.shutdown()
    expect(read(join(stage.folder, '.scheduler-state.json')).jobs).toHaveLength(1)
  })

  test('defaultCatchUp: true, and defaultMaxMissedRuns: 5', async () => {
    const stage = new Stage()
    const job = { name: 'a', schedule: '0 8 * * *', task: () => {} }
    const plain = stage.begin()
    await plain.scheduler.schedule(job)
    expect(plain.scheduler.getJobState('a')).toMatchObject({ catchUp: true, maxMissedRuns: 5 })
    const stateFile = join(stage.folder, 'other.json')
    const other = stage.begin({ stateFile, defaultCatchUp: false, defaultMaxMissedRuns: 2 })
    await other.scheduler.schedule(job)
    expect(other.scheduler.getJobState('a')).toMatchObject({ catchUp: false, maxMissedRuns: 2 })
  })

  test('saveInterval: the file is written again that often, every 30 s by default', async () => {
    const stage = new Stage()
    const config = { stateFile: stage.stateFile, clock: stage.clock }
    const standard = new PersistentScheduler(config, stage.files)
    onTestFinished(() => standard.shutdown())
    await standard.initialize()
    await stage.advance('95s')
    expect(read(stage.stateFile).timestamp).toBe('2026-01-01T00:01:30.000Z')
    const stateFile = join(stage.folder, 'often.json')
    const often = stage.begin({ stateFile, saveInterval: 5_000 })
    await often.scheduler.initialize()
    await stage.advance('12s')
    expect(read(stateFile).timestamp).toBe('2026-01-01T00:01:45.000Z')
  })

  test('an unknown option is refused with what was meant', () => {
    const wrong = { saveIntervall: 1 } as PersistentSchedulerConfig
    expect(() => new PersistentScheduler(wrong)).toThrow(
      expect.objectContaining({ code: 'invalid_config', next: 'Did you mean "saveInterval"?' }),
    )
  })
}

export function jobConfig(): void {
  test('timezone: the job runs by its own zone, and its state says which', async () => {
    const stage = new Stage('2026-07-01T00:00:00Z')
    const ran: Ran = []
    const { scheduler } = stage.begin()
    await scheduler.schedule({
      name: 'a',
      schedule: '0 9 * * *',
      timezone: 'Europe/Madrid',
      task: noting(ran),
    })
    await stage.advance('1d')
    expect(ran).toEqual(['2026-07-01T07:00:00.000Z'])
    expect(scheduler.getJobState('a')?.timezone).toBe('Europe/Madrid')
  })

  test('protect: true skips a run that is due while the last goes on; false does not', async () => {
    const stage = new Stage()
    const ran: Record<string, Ran> = { protected: [], free: [], plain: [] }
    const { scheduler } = stage.begin()
    const slow = (name: string) => async (context: Context) => {
      ran[name]?.push(context.scheduledFor.toISOString())
      await stage.clock.sleep(90_000, context.signal)
    }
    const every = { schedule: '* * * * *', ...utc }
    await scheduler.schedule({ name: 'protected', ...every, protect: true, task: slow('protected') })
    await scheduler.schedule({ name: 'free', ...every, protect: false, task: slow('free') })
    await scheduler.schedule({ name: 'plain', ...every, task: slow('plain') })
    await stage.advance('4m')
    expect(ran.free).toHaveLength(4)
    expect(ran.protected).toHaveLength(2)
    expect(ran.plain).toEqual(ran.protected)
    const evertick = await scheduler.evertick
    const from = '2026-01-01T00:00:00Z'
    const { ranges } = await evertick.jobs.explain('protected', { from, to: '2026-01-01T00:05:00Z' })
    expect(ranges.every(({ reason }) => reason === 'overlap')).toBe(true)
    await expectClean(scheduler)
  })
}

export function customStateFile(): void {
  test.each([
    ['production', 'prod-state.json', true],
    ['development', 'dev-scheduler-state.json', false],
  ])('in %s the state is in %s', async (environment, file, catchUp) => {
    const stage = new Stage()
    const stateFile = join(stage.folder, environment === 'production' ? 'prod-state.json' : file)
    const { scheduler } = stage.begin({ stateFile, defaultCatchUp: environment === 'production' })
    await scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {} })
    expect(read(join(stage.folder, file)).jobs[0]).toMatchObject({ catchUp })
  })
}

export function timezones(): void {
  test('9 AM on weekdays in New York, over the change of its clocks, caught up as well', async () => {
    // Friday; clocks go forward on Sunday, 8 March.
    const stage = new Stage('2026-03-06T00:00:00Z')
    const ran: Ran = []
    const job = {
      name: 'business-hours-job',
      schedule: '0 9 * * 1-5',
      timezone: 'America/New_York',
      catchUp: true,
      task: noting(ran),
    }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    await stage.advance('1d')
    await stage.end(first)
    stage.clock.moveTo(Date.parse('2026-03-10T12:00:00Z'))
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.advance('1d')
    expect(ran).toEqual(['2026-03-06T14:00:00.000Z', '2026-03-09T13:00:00.000Z', '2026-03-10T13:00:00.000Z'])
    await expectClean(second.scheduler)
  })
}
