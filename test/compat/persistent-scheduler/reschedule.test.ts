/** A name that is scheduled again, and what its scheduler does with calls that nobody waits for. */
import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatState, type SavedState } from '../../../src/compat/persistent-scheduler/saved-state.ts'
import { PersistentScheduler, Scheduler } from '../../../src/index.ts'
import { Stage } from './stage.ts'

const utc = { timezone: 'UTC' } as const
const noting = (ran: string[]) => (context: { scheduledFor: Date }) =>
  void ran.push(context.scheduledFor.toISOString().slice(11, 16))

async function expectClean(scheduler: PersistentScheduler): Promise<void> {
  expect(await (await scheduler.evertick).audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
}

test('with another cron, the time away is settled under the saved one; then the new one holds', async () => {
  const stage = new Stage()
  const ran: string[] = []
  const first = stage.begin()
  await first.scheduler.schedule({ name: 'a', schedule: '0 * * * *', task: noting(ran), ...utc })
  await stage.end(first)
  await stage.away('2h30m')
  const second = stage.begin()
  await second.scheduler.schedule({ name: 'a', schedule: '15,45 * * * *', task: noting(ran), ...utc })
  await stage.settle()
  expect(ran).toEqual(['01:00', '02:00'])
  await stage.advance('1h')
  expect(ran.slice(2)).toEqual(['02:45', '03:15'])
  expect((await (await second.scheduler.evertick).jobs.get('a')).schedule).toMatchObject({
    cron: '15,45 * * * *',
  })
  await expectClean(second.scheduler)
})

test('the policies are those that are given now', async () => {
  const stage = new Stage()
  const ran: string[] = []
  const job = { name: 'a', schedule: '0 * * * *', task: noting(ran), ...utc }
  const first = stage.begin()
  await first.scheduler.schedule({ ...job, catchUp: false })
  await stage.end(first)
  await stage.away('5h30m')
  const second = stage.begin()
  await second.scheduler.schedule({ ...job, catchUp: true, maxMissedRuns: 2 })
  await stage.settle()
  expect(ran).toEqual(['04:00', '05:00'])
})

test('scheduled again in the same life, the new task runs and the figures go on', async () => {
  const stage = new Stage()
  const ran: string[] = []
  const { scheduler } = stage.begin()
  const job = { name: 'a', schedule: '0 * * * *', ...utc }
  await scheduler.schedule({ ...job, task: () => void ran.push('old') })
  await stage.advance('1h')
  await scheduler.setCatchUp('a', false)
  await scheduler.schedule({ ...job, task: () => void ran.push('new') })
  await stage.advance('1h')
  expect(ran).toEqual(['old', 'new'])
  expect(scheduler.getJobState('a')).toMatchObject({ currentRunCount: 2, catchUp: false })
  expect(scheduler.listJobs()).toHaveLength(1)
})

test('jobs of the file that nobody schedules stay in it, untouched, until they are stopped', async () => {
  const stage = new Stage()
  const first = stage.begin()
  await first.scheduler.schedule({ name: 'kept', schedule: '0 8 * * *', task: () => {}, ...utc })
  await stage.end(first)
  const saved = () => (JSON.parse(readFileSync(stage.stateFile, 'utf8')) as { jobs: { name: string }[] }).jobs
  const [before] = saved()
  await stage.away('3d')
  const second = stage.begin()
  await second.scheduler.schedule({ name: 'other', schedule: '0 8 * * *', task: () => {}, ...utc })
  await stage.advance('1d')
  expect(saved().find(({ name }) => name === 'kept')).toEqual(before)
  expect(second.scheduler.getJobState('kept')).toMatchObject({ enabled: true })
  expect(second.scheduler.listJobs().map(({ name }) => name)).toEqual(['other'])
  expect(second.scheduler.getJob('kept')).toBeUndefined()
  await second.scheduler.stopJob('kept')
  expect(saved().map(({ name }) => name)).toEqual(['other'])
})

test('a saved schedule that cannot be read is told, and the job begins anew', async () => {
  const stage = new Stage()
  const first = stage.begin()
  await first.scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {}, ...utc })
  await stage.end(first)
  // With its checksum, as a version would write it that knows more crons and zones than this one.
  const saved = JSON.parse(readFileSync(stage.stateFile, 'utf8')) as SavedState
  const jobs = saved.jobs.map((job) => ({ ...job, schedule: 'at eight' }))
  writeFileSync(stage.stateFile, formatState({ ...saved, jobs }))
  await stage.away('2d')
  const second = stage.begin()
  expect(second.scheduler.getJobState('a')).toBeUndefined()
  await second.scheduler.initialize()
  expect(second.scheduler.getJobState('a')?.nextRun).toBeNull()
  const job = await second.scheduler.schedule({ name: 'a', schedule: '0 8 * * *', task: () => {}, ...utc })
  expect(second.said.join('\n')).toContain(
    'a: its saved schedule cannot be read, so nothing of it is caught up',
  )
  expect(job.nextRun()).toEqual(new Date('2026-01-03T08:00:00Z'))
})

test('runs that may overlap are still caught up one at a time', async () => {
  const stage = new Stage()
  let [going, most] = [0, 0]
  const task = async ({ signal }: { signal: AbortSignal }) => {
    going += 1
    most = Math.max(most, going)
    await stage.clock.sleep(1_000, signal)
    going -= 1
  }
  const job = { name: 'a', schedule: '0 * * * *', protect: false, task, ...utc }
  const first = stage.begin()
  await first.scheduler.schedule(job)
  await stage.end(first)
  await stage.away('4h30m')
  const second = stage.begin()
  await second.scheduler.schedule(job)
  await stage.advance('10s')
  expect([most, second.scheduler.getJobState('a')?.currentRunCount]).toEqual([1, 4])
})

test('a clock that was set back repeats nothing, and it is told', async () => {
  const stage = new Stage('2026-01-01T12:00:00Z')
  const ran: string[] = []
  const job = { name: 'a', schedule: '0 * * * *', task: noting(ran), ...utc }
  const first = stage.begin()
  await first.scheduler.schedule(job)
  await stage.advance('2h')
  await stage.end(first)
  stage.clock.jump(-3 * 3_600_000)
  const second = stage.begin()
  await second.scheduler.schedule(job)
  await stage.advance('4h')
  expect(ran).toEqual(['13:00', '14:00', '15:00'])
  expect(second.said.join('\n')).toContain('Was the clock set back?')
})

test('calls that nobody waits for happen in their order, and their failures are logged', async () => {
  const stage = new Stage()
  const { scheduler, said } = stage.begin()
  await scheduler.schedule({ name: 'a', schedule: '0 * * * *', task: () => {}, ...utc })
  void scheduler.pauseJob('a')
  void scheduler.resumeJob('a')
  void scheduler.pauseJob('a')
  void scheduler.pauseJob('nobody')
  await scheduler.resumeJob('a')
  expect(scheduler.getJobState('a')?.enabled).toBe(true)
  expect((await (await scheduler.evertick).jobs.get('a')).state).toBe('active')
  expect(said.filter((line) => line.startsWith('error:'))).toEqual([
    'error: Could not change nobody: No job is named "nobody".',
  ])
  await expect(scheduler.setCatchUp('nobody', true)).rejects.toMatchObject({ code: 'job_not_found' })
  await expect(scheduler.stopJob('nobody')).rejects.toMatchObject({ code: 'job_not_found' })
})

test('what an operator does behind its back is seen and kept', async () => {
  const stage = new Stage()
  const { scheduler } = stage.begin()
  await scheduler.schedule({ name: 'a', schedule: '0 * * * *', task: () => {}, ...utc })
  const evertick = await scheduler.evertick
  await evertick.jobs.pause('a')
  await stage.settle()
  expect(scheduler.getJobState('a')?.enabled).toBe(false)
  await evertick.jobs.delete('a')
  await stage.settle()
  expect(scheduler.listJobs()).toEqual([])
})

test('after its end it takes nothing more', async () => {
  const stage = new Stage()
  const { scheduler } = stage.begin()
  await scheduler.initialize()
  const ending = stage.driven(scheduler.shutdown())
  const job = { name: 'a', schedule: '0 * * * *', task: () => {} }
  await expect(scheduler.schedule(job)).rejects.toMatchObject({ code: 'not_running' })
  await ending
  await expect(scheduler.initialize()).rejects.toMatchObject({ code: 'not_running' })
  await expect(scheduler.pauseJob('a')).rejects.toMatchObject({ code: 'not_running' })
})

test('what is wrong is refused at once', async () => {
  const wrong = async (job: object) => await new Scheduler().schedule(job as never)
  const job = { name: 'a', schedule: '0 * * * *', task: () => {} }
  await expect(wrong({ ...job, schedule: '' })).rejects.toMatchObject({ code: 'invalid_cron' })
  await expect(wrong({ ...job, timezone: 'Europe/Nowhere' })).rejects.toMatchObject({
    code: 'invalid_timezone',
  })
  await expect(wrong({ ...job, task: 'echo' })).rejects.toMatchObject({ field: 'task' })
  await expect(wrong({ ...job, name: '' })).rejects.toMatchObject({ field: 'name' })
  await expect(wrong({ ...job, protekt: true })).rejects.toMatchObject({ next: 'Did you mean "protect"?' })
  expect(() => new PersistentScheduler({ saveInterval: 0 })).toThrow(
    expect.objectContaining({ field: 'saveInterval' }),
  )
  expect(() => new PersistentScheduler({ defaultMaxMissedRuns: 0 })).toThrow(
    expect.objectContaining({ field: 'defaultMaxMissedRuns' }),
  )
})

test('an onError that throws or rejects disturbs nobody', async () => {
  const stage = new Stage()
  const { scheduler, said } = stage.begin()
  const fails = () => Promise.reject(new Error('task'))
  const onError = () => Promise.reject(new Error('listener')) as unknown as undefined
  await scheduler.schedule({ name: 'a', schedule: '0 * * * *', task: fails, onError, ...utc })
  await stage.advance('1h')
  expect(said.filter((line) => line.startsWith('error:'))).toEqual(['error: onError of a threw: listener'])
})
