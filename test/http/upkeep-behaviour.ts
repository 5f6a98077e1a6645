/** The part of the behaviour of every route that is about looking after jobs. */
import { expect, test } from 'vitest'
import type { ApiUnderTest } from './api-under-test.ts'
import type { Asking } from './asking.ts'

export function testUpkeep(asked: () => { readonly api: ApiUnderTest; readonly ask: Asking['ask'] }): void {
  test('jobs are looked after: crons become intervals and crons again, a cursor comes back, all are a crontab', async () => {
    const { api, ask } = asked()
    await ask('POST', '/jobs', { name: 'hourly', schedule: { cron: '0 * * * *' } })
    const convert = async (body?: object) => (await ask('POST', '/jobs/convert', body)).json
    const every = async () => (await ask('GET', '/jobs/hourly')).json.schedule
    expect(await convert({ dryRun: true })).toMatchObject({ converted: 1, intervals: [{ job: 'hourly' }] })
    expect(await every()).toMatchObject({ cron: '0 * * * *' })
    expect(await convert()).toMatchObject({ converted: 1 })
    expect(await every()).toEqual({ every: '1h', anchor: 'epoch' })
    expect(await convert({ back: true })).toMatchObject({ converted: 1 })
    expect(await every()).toMatchObject({ cron: '0 * * * *' })
    expect((await ask('POST', '/jobs/hourly/reset-cursor')).json).toMatchObject({ name: 'hourly' })
    const { json } = await ask('GET', '/export/crontab?format=user')
    expect(json).toMatchObject({ format: 'user', exported: expect.arrayContaining(['hourly']) as string[] })
    expect(json.crontab).toContain('0 * * * * evertick jobs trigger hourly')
    await api.node.advance('3m')
    const { ticks } = (await ask('GET', '/jobs/minutely/ticks/newest?limit=2')).json as {
      ticks: { scheduledFor: string; account: string }[]
    }
    expect(ticks).toMatchObject([{ account: 'fired' }, { account: 'fired' }])
    expect(ticks.map(({ scheduledFor }) => scheduledFor)).toEqual(
      ticks.map(({ scheduledFor }) => scheduledFor).toSorted(),
    )
    await ask('DELETE', '/jobs/hourly')
  })
}
