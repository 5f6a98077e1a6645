/** The state: its file, its questions. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { expectClean, noting, type Ran, read, utc } from './support.ts'

export function stateFileFormat(): void {
  const page = {
    version: '1.0',
    timestamp: '2024-01-15T10:30:00.000Z',
    jobs: [
      {
        name: 'daily-backup',
        schedule: '0 8 * * *',
        enabled: true,
        catchUp: true,
        maxMissedRuns: 2,
        currentRunCount: 5,
        lastRun: '2024-01-14T08:00:00.000Z',
        nextRun: '2024-01-15T08:00:00.000Z',
      },
    ],
  }

  test('the keys of the page come first, in its order', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    await scheduler.schedule({ name: 'daily-backup', schedule: '0 8 * * *', task: () => {}, ...utc })
    await stage.advance('9h')
    await scheduler.save()
    const written = read(stage.stateFile)
    expect(Object.keys(written).slice(0, 3)).toEqual(Object.keys(page))
    const [job = {}] = written.jobs
    expect(Object.keys(job).slice(0, 8)).toEqual(Object.keys(page.jobs[0] ?? {}))
    expect(job).toMatchObject({
      ...page.jobs[0],
      maxMissedRuns: 5,
      currentRunCount: 1,
      lastRun: '2026-01-01T08:00:00.000Z',
      nextRun: '2026-01-02T08:00:00.000Z',
    })
    expect(written).toMatchObject({ version: '1.0', timestamp: '2026-01-01T09:00:00.000Z' })
  })

  test('the file of the page is read: what is due since its last run is caught up', async () => {
    const stage = new Stage('2024-01-15T11:00:00Z')
    writeFileSync(stage.stateFile, JSON.stringify(page))
    const ran: Ran = []
    const { scheduler } = stage.begin()
    await scheduler.initialize()
    expect(scheduler.getJobState('daily-backup')).toMatchObject({
      currentRunCount: 5,
      lastRun: new Date('2024-01-14T08:00:00.000Z'),
    })
    await scheduler.schedule({ name: 'daily-backup', schedule: '0 8 * * *', task: noting(ran), ...utc })
    await stage.settle()
    expect(ran).toEqual(['2024-01-15T08:00:00.000Z'])
    expect(scheduler.getJobState('daily-backup')?.currentRunCount).toBe(6)
    await expectClean(scheduler)
  })

  test('a job that has never run is settled until the file was written', async () => {
    const stage = new Stage('2024-01-16T11:00:00Z')
    const [job] = page.jobs
    writeFileSync(stage.stateFile, JSON.stringify({ ...page, jobs: [{ ...job, lastRun: null }] }))
    const ran: Ran = []
    const { scheduler } = stage.begin()
    await scheduler.schedule({ name: 'daily-backup', schedule: '0 8 * * *', task: noting(ran), ...utc })
    await stage.settle()
    expect(ran).toEqual(['2024-01-16T08:00:00.000Z'])
  })
}

export function stateOperations(): void {
  test('getJobState, getAllJobStates and setCatchUp', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    const job = { schedule: '0 8 * * *', task: () => {}, ...utc }
    await scheduler.schedule({ name: 'daily-backup', ...job })
    await scheduler.schedule({ name: 'other', ...job })
    await stage.advance('9h')
    const state = scheduler.getJobState('daily-backup')
    expect(state?.lastRun).toEqual(new Date('2026-01-01T08:00:00.000Z'))
    expect(state?.currentRunCount).toBe(1)
    const all = scheduler.getAllJobStates()
    expect([...all].map(([name, { currentRunCount }]) => `${name}: ${currentRunCount}`)).toEqual([
      'daily-backup: 1',
      'other: 1',
    ])
    await scheduler.setCatchUp('daily-backup', false)
    expect(scheduler.getJobState('daily-backup')?.catchUp).toBe(false)
    expect(read(stage.stateFile).jobs[0]).toMatchObject({ name: 'daily-backup', catchUp: false })
    expect(scheduler.getJobState('nobody')).toBeUndefined()
  })

  test('what setCatchUp says holds over a restart, until the code says something new', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const job = { name: 'daily-backup', schedule: '0 8 * * *', task: noting(ran), ...utc }
    const first = stage.begin()
    await first.scheduler.schedule(job)
    await first.scheduler.setCatchUp('daily-backup', false)
    await stage.end(first)
    await stage.away('2d')
    const second = stage.begin()
    await second.scheduler.schedule(job)
    await stage.settle()
    expect(ran).toEqual([])
    await stage.end(second)
    await stage.away('2d')
    const third = stage.begin()
    await third.scheduler.schedule({ ...job, maxMissedRuns: 9 })
    await stage.settle()
    expect(ran).toHaveLength(2)
    await expectClean(third.scheduler)
  })
}

export function stateFileLocation(): void {
  test('a folder that is not there yet is made', async () => {
    const stage = new Stage()
    const stateFile = join(stage.folder, 'data', 'deep', 'scheduler-state.json')
    const { scheduler } = stage.begin({ stateFile })
    await scheduler.initialize()
    expect(read(stateFile)).toMatchObject({ version: '1.0', jobs: [] })
  })
}
