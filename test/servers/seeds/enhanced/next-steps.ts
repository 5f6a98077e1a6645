/** "Next Steps": what its authors had still to do, and is there. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Evertick, ScheduleRepository } from '../../../../src/index.ts'
import { inProcess } from '../../../cli/in-process.ts'
import { testFolder } from '../../../cli/run-cli.ts'
import { freshDatabase, passUntil, silent, standOn } from './stand.ts'

export function walkNextSteps(): void {
  test('API, a history for the dashboard, alerts, metrics, backup and restore of schedules', async () => {
    const url = await freshDatabase()
    const { clock, open } = standOn(url)
    const scheduler = open({
      execute: () => {
        throw new Error('no route')
      },
    })
    const { repository } = scheduler
    await repository.create({ scheduleId: 'shop', domain: 'a.example', cron: '* * * * *' })
    await scheduler.start()
    const failures = async () => await scheduler.history.find({ scheduleId: 'shop', status: 'failed' })
    await passUntil(clock, 'three failures', async () => (await failures()).length >= 3)

    const evertick = await scheduler.evertick()
    // 1 and 2: what routes and dashboard are made of.
    expect((await evertick.jobs.list({ tag: 'schedule' })).jobs.map(({ name }) => name)).toEqual(['shop'])
    expect((await evertick.executions.list({ filter: 'job:shop' })).executions.length).toBeGreaterThanOrEqual(
      3,
    )
    // 3: by the rules that are there from the start.
    await passUntil(clock, 'an alert', async () =>
      (await evertick.alerts.list()).alerts.some(({ name }) => name === 'shop'),
    )
    // 4
    expect((await evertick.metrics()).executions.failed).toBeGreaterThanOrEqual(3)
    await scheduler.stop({ timeout: 0 })

    // 5
    const cwd = testFolder()
    const file = join(cwd, 'schedules.evertick')
    const backup = await inProcess(['backup', file, '--database', url], { cwd })
    expect([backup.code, backup.code === 0 ? '' : backup.stderr]).toEqual([0, ''])
    const other = await freshDatabase()
    const restored = await inProcess(['restore', file, '--database', other], { cwd })
    expect([restored.code, restored.code === 0 ? '' : restored.stderr]).toEqual([0, ''])
    const there = await Evertick.open({ database: other, logger: silent })
    onTestFinished(() => there.stop())
    expect(await new ScheduleRepository(there).get('shop')).toMatchObject({
      domain: 'a.example',
      cron: '* * * * *',
    })
  })
}
