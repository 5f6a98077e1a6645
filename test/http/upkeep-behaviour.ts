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

  test('a list of jobs is tried, applied, refused as a whole, exported and pruned', async () => {
    const { ask } = asked()
    const listed = [{ name: 'listed', schedule: { cron: '0 3 * * *', timezone: 'UTC' } }, { name: 'other' }]
    const apply = async (more: object) =>
      (await ask('POST', '/jobs/apply', { name: 'f', jobs: listed, ...more })).json
    expect(await apply({ dryRun: true })).toMatchObject({ dryRun: true, created: ['listed', 'other'] })
    expect((await ask('GET', '/jobs/listed')).status).toBe(404)
    expect(await apply({})).toMatchObject({ manager: 'file:f', created: ['listed', 'other'] })
    expect(await apply({ jobs: [{ name: 'listed', priority: 5000 }] })).toMatchObject({
      status: 400,
      code: 'invalid_definition',
      field: 'jobs.0.priority',
    })
    expect((await ask('GET', '/export/jobs?names=listed,other')).json).toMatchObject({ jobs: listed })
    const page = (await ask('GET', '/export/jobs?limit=1')).json
    expect(page).toMatchObject({ jobs: [{ name: 'break' }], nextCursor: 'break' })
    const handler = { type: 'source', url: 'https://example.com/jobs', job: { handler: 'greet' } }
    await ask('POST', '/jobs', { name: 'shop', schedule: { every: '1h' }, handler })
    expect((await ask('GET', '/sources')).json).toMatchObject({
      sources: [{ name: 'shop', url: 'https://example.com/jobs', state: 'active', lastSync: null }],
      nextCursor: null,
    })
    await ask('DELETE', '/jobs/shop')
    expect(await apply({ jobs: [], prune: true })).toMatchObject({ deleted: ['listed', 'other'] })
  })
}
