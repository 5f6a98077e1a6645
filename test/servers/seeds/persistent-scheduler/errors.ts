/** What goes wrong, and goes on. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Stage } from '../../../compat/persistent-scheduler/stage.ts'
import { noting, type Ran, read, utc } from './support.ts'

export function errorHandling(): void {
  test('a corrupted state file: a warning, and it goes on; nothing of the file is lost', async () => {
    const stage = new Stage()
    writeFileSync(stage.stateFile, '{ "version": "1.0", "jobs": [')
    const { scheduler, said } = stage.begin()
    await scheduler.initialize()
    expect(scheduler.getAllJobStates().size).toBe(0)
    expect(said.filter((line) => line.startsWith('warn:')).join()).toContain(
      'is damaged: it is not valid JSON',
    )
    const aside = `${stage.stateFile}.damaged-2026-01-01T00-00-00-000Z`
    expect(readFileSync(aside, 'utf8')).toBe('{ "version": "1.0", "jobs": [')
  })

  test('a task that fails is logged, and scheduling goes on', async () => {
    const stage = new Stage()
    const { scheduler, said } = stage.begin()
    const task = () => Promise.reject(new Error('no disk'))
    await scheduler.schedule({ name: 'fails', schedule: '0 * * * *', task, ...utc })
    await stage.advance('2h')
    expect(said.filter((line) => line === 'error: fails failed: no disk')).toHaveLength(2)
    expect(scheduler.getJobState('fails')?.currentRunCount).toBe(2)
  })

  test('a save that fails is logged, and the jobs go on; the next one is tried again', async () => {
    const stage = new Stage()
    const ran: Ran = []
    const stateFile = join(stage.folder, 'blocked', 'state.json')
    writeFileSync(join(stage.folder, 'blocked'), 'a file where a folder should be')
    const { scheduler, said } = stage.begin({ stateFile })
    await scheduler.schedule({ name: 'a', schedule: '0 * * * *', task: noting(ran), ...utc })
    await stage.advance('1h')
    expect(ran).toHaveLength(1)
    expect(said.some((line) => line.startsWith('error: Could not save the state'))).toBe(true)
    rmSync(join(stage.folder, 'blocked'))
    await scheduler.save()
    expect(read(stateFile).jobs).toHaveLength(1)
  })

  test('an invalid cron expression is refused by schedule()', async () => {
    const stage = new Stage()
    const { scheduler } = stage.begin()
    const bad = { name: 'a', schedule: '61 * * * *', task: () => {} }
    await expect(scheduler.schedule(bad)).rejects.toMatchObject({ code: 'invalid_cron' })
    expect(scheduler.listJobs()).toEqual([])
  })
}
