/** Jobs in the flat words of an interval scheduler, over HTTP. */
import { expect, onTestFinished, test } from 'vitest'
import { openApi } from './api-under-test.ts'

test('a job in the words of an interval scheduler: the interval wins, and with neither it runs once', async () => {
  const api = await openApi()
  onTestFinished(() => api.node.stop())
  const ask = async (method: string, path: string, json?: unknown) =>
    await api.send(method, `/api/v1${path}`, {
      token: api.tokens.admin,
      ...(json === undefined ? {} : { json }),
    })
  const made = await ask('POST', '/jobs', {
    name: 'crawl',
    interval_minutes: 2,
    interval_type: 'hours',
    max_retries: 4,
  })
  expect(made.json).toMatchObject({ schedule: { every: '2h' }, isPaused: false })
  const both = await ask('PATCH', '/jobs/crawl', { schedule_time: '0 9 * * *', interval_type: 'minutes' })
  expect(both.json).toMatchObject({ schedule: { every: '2m' } })
  expect(
    (await ask('POST', '/jobs', { name: 'crawl-paused', schedule_time: '0 9 * * *', is_paused: true })).json,
  ).toMatchObject({ schedule: { cron: '0 9 * * *' }, isPaused: true })
  const once = await ask('POST', '/jobs', {
    name: 'crawl-once',
    handler: { type: 'function', name: 'greet' },
  })
  await api.node.advance('1s')
  expect((await ask('GET', `/jobs/${String(once.json.id)}/executions`)).json.executions).toHaveLength(1)
})
