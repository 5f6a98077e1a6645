/** A source is a job: its schedule, retries, history and secrets are those of any job, its result is what the sync did. */
import { expect, onTestFinished, test } from 'vitest'
import { openTestNode } from '../../../src/testing/index.ts'
import { answeringServer, json } from './answering-server.ts'

const token = 'Bearer canary-5d1e'

async function opened() {
  const server = await answeringServer()
  const node = await openTestNode({ allowPrivateHosts: ['127.0.0.1'] })
  onTestFinished(() => node.stop())
  const { jobs } = node.evertick
  await jobs.create({
    name: 'shop',
    schedule: { every: '5m', anchor: 'epoch' },
    retry: { attempts: 1 },
    handler: {
      type: 'source',
      url: server.url,
      headers: { authorization: token },
      items: 'data',
      mapping: { name: 'id', 'schedule.cron': 'cron', enabled: 'on' },
      job: { handler: 'scan', timeout: '10m' },
      prefix: 'shop-',
    },
  })
  const sync = async (input?: unknown) => {
    const { id } = await jobs.trigger('shop', input === undefined ? {} : { input })
    await node.settle()
    return await node.evertick.executions.get(id)
  }
  return { server, node, jobs, sync }
}

const entries = [
  { id: 1, cron: '0 3 * * *' },
  { id: 2, cron: '0 4 * * *', on: false },
]

test('at its ticks it makes, changes and pauses the jobs that the answer lists', async () => {
  const { server, node, jobs } = await opened()
  server.answer = json({ data: entries })
  await node.advance('5m')
  const [first] = await node.executions('shop')
  expect(first).toMatchObject({
    state: 'completed',
    result: { counts: { added: 2, invalid: 0 }, first: { added: ['shop-1', 'shop-2'] }, notModified: false },
  })
  expect(await jobs.get('shop-1')).toMatchObject({
    managedBy: 'source:shop',
    schedule: { cron: '0 3 * * *', timezone: 'UTC' },
    handler: { type: 'function', name: 'scan' },
    timeout: '10m',
    isPaused: false,
  })
  expect(await jobs.get('shop-2')).toMatchObject({ isPaused: true, pausedBy: 'source:shop' })
  server.answer = json({ data: [{ id: 2, cron: '0 5 * * *', on: true }] })
  await node.advance('5m')
  expect(await jobs.get('shop-2')).toMatchObject({ schedule: { cron: '0 5 * * *' }, isPaused: false })
  expect(await jobs.get('shop-1')).toMatchObject({
    isPaused: true,
    pausedReason: 'source:shop no longer lists it',
  })
})

test('its token is sealed, sent, and shown nowhere, also where the answer repeats it', async () => {
  const { server, node, jobs, sync } = await opened()
  server.answer = (response, { authorization }) =>
    json({ data: [{ id: 'a', cron: `${authorization}` }, { id: `<${authorization}>` }] })(response)
  const ended = await sync()
  expect(server.asked.map(({ authorization }) => authorization)).toEqual([token])
  expect(ended).toMatchObject({ state: 'completed', result: { counts: { added: 0, invalid: 2 } } })
  const shown = [ended, await jobs.get('shop'), await node.evertick.executions.logs(ended.id)]
  expect(JSON.stringify(shown)).not.toContain('canary-5d1e')
  expect(await jobs.get('shop')).toMatchObject({ handler: { headers: { authorization: '[redacted]' } } })
})

test('a dry run is asked for by its input: it says what would be done, field by field, and does nothing', async () => {
  const { server, jobs, sync } = await opened()
  server.answer = json({ data: entries })
  await sync()
  server.answer = json({ data: [{ id: 1, cron: '0 9 * * *' }, entries[1], { id: 3 }] })
  const { result } = await sync({ dryRun: true })
  expect(result).toMatchObject({
    dryRun: true,
    counts: { added: 1, modified: 1, unchanged: 1 },
    changes: [
      { job: 'shop-3', becomes: 'created' },
      {
        job: 'shop-1',
        becomes: 'updated',
        fields: [{ field: 'schedule.cron', before: '0 3 * * *', after: '0 9 * * *' }],
      },
    ],
  })
  expect(await jobs.get('shop-1')).toMatchObject({ schedule: { cron: '0 3 * * *' } })
  await expect(jobs.get('shop-3')).rejects.toMatchObject({ code: 'job_not_found' })
})

test('an answer that has not changed is not sent again, unless the last sync left something to do', async () => {
  const { server, jobs, sync } = await opened()
  server.answer = (response, headers) => {
    if (headers['if-none-match'] === '"v1"') response.writeHead(304).end()
    else json({ data: entries }, { etag: '"v1"' })(response)
  }
  await sync()
  expect((await sync()).result).toMatchObject({ notModified: true })
  // A dry run asks for all of it, and is not taken for a sync.
  expect((await sync({ dryRun: true })).result).toMatchObject({ notModified: false, etag: null })
  expect((await sync()).result).toMatchObject({ notModified: false, counts: { unchanged: 2 } })
  expect((await sync()).result).toMatchObject({ notModified: true })
  // Under another definition the same answer means something else.
  const { handler } = await jobs.get('shop')
  if (handler.type !== 'source') throw new Error('the source is gone')
  await jobs.update('shop', { handler: { ...handler, job: { handler: 'scan', timeout: '1m' } } })
  expect((await sync()).result).toMatchObject({ counts: { modified: 2 } })
  server.answer = json({ data: [...entries, { id: 'no!' }] }, { etag: '"v2"' })
  expect((await sync()).result).toMatchObject({ counts: { invalid: 1 }, etag: null })
  await sync()
  expect(server.asked.at(-1)?.['if-none-match']).toBeUndefined()
})

test.each([
  ['a redirect', 302],
  ['an error', 500],
  ['not modified, though nobody asked', 304],
])('%s fails the sync, and changes nothing', async (_what, status) => {
  const { server, jobs, sync } = await opened()
  server.answer = json({ data: entries })
  await sync()
  server.answer = (response) => response.writeHead(status, { location: '/' }).end('[]')
  expect(await sync()).toMatchObject({ state: 'failed', error: { code: 'outbound_failed' } })
  expect(await jobs.get('shop-1')).toMatchObject({ isPaused: false })
})

test.each([
  ['no name in the mapping', { mapping: { schedule: 's' }, job: { handler: 'scan' } }, 'handler.mapping'],
  [
    'a field that is none',
    { mapping: { name: 'id', scheduel: 's' }, job: { handler: 'scan' } },
    'handler.mapping.scheduel',
  ],
  ['an option that is none', { job: { handler: 'scan', retri: {} } }, 'handler.job.retri'],
  ['jobs without a handler', { job: { timeout: '1m' } }, 'handler.job'],
  [
    'a source of sources',
    { job: { handler: { type: 'source', url: 'https://example.com', job: { handler: 'x' } } } },
    'handler.job.handler',
  ],
  [
    'a secret for its jobs',
    { job: { handler: { type: 'http', url: 'https://example.com', headers: { authorization: 'x' } } } },
    'handler.job.handler',
  ],
])('%s is refused at once', async (_what, given, field) => {
  const { jobs } = await opened()
  const handler = { type: 'source' as const, url: 'https://example.com/', ...given }
  await expect(jobs.create({ name: 'bad', handler })).rejects.toMatchObject({
    code: 'invalid_definition',
    field,
  })
})
