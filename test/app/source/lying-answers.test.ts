/** Whatever a source answers, no job is deleted, and no more are paused at once than may be. */
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { contextOf } from '../../../src/app/app-context.ts'
import { syncFromUrl } from '../../../src/app/source/sync-from-url.ts'
import type { SourceHandler } from '../../../src/core/job/handler.ts'
import { EvertickError } from '../../../src/index.ts'
import { openTestNode } from '../../../src/testing/index.ts'
import { type AnsweringServer, answeringServer, json } from './answering-server.ts'

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const whole = names.map((name) => ({ name, schedule: { every: '1h' } }))
const maxRemovals = 2

type Answer = AnsweringServer['answer']

/** What stands for an entry: a job, a changed one, or what somebody's bug has made of it. */
const entry = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...whole) },
  fc.record(
    { name: fc.constantFrom(...names), schedule: fc.jsonValue(), enabled: fc.jsonValue() },
    { requiredKeys: [] },
  ),
  fc.record({
    name: fc.constantFrom(...names, 'new', 'own', 'shop'),
    schedule: fc.constant({ every: '2h' }),
  }),
  fc.jsonValue({ maxDepth: 4 }),
)
const list = fc.oneof(fc.array(entry, { maxLength: 12 }), fc.subarray(whole), fc.constant([]))
const root = fc.oneof(
  list,
  list.map((schedules) => ({ schedules })),
  fc.tuple(list, fc.nat(20)).map(([items, total]) => ({ items, total, next: total > 10 ? 'more' : null })),
  fc.jsonValue(),
)
const answers: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: root.map((value) => json(value)) },
  fc.tuple(root, fc.nat(200)).map(
    ([value, at]): Answer =>
      (response) =>
        response.end(JSON.stringify(value).slice(0, at)),
  ),
  fc.constantFrom(204, 301, 302, 304, 404, 429, 500, 503).map(
    (status): Answer =>
      (response) =>
        void response.writeHead(status, { location: '/', etag: '"x"' }).end('[]'),
  ),
  fc.constant<Answer>(
    (response) => void response.writeHead(200, { 'content-length': '999' }).write('[{"name":"a"}'),
  ),
  fc.constant<Answer>((response) => void response.destroy()),
  fc.constant<Answer>((response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('[]')),
  fc.constant<Answer>((response) => void response.end(Buffer.alloc(11 * 1024 * 1024, ' '))),
  fc.constant<Answer>((response) => void response.end('['.repeat(200_000))),
)

test('no answer deletes, and none pauses more than may go at once', { timeout: 120_000 }, async () => {
  const server = await answeringServer()
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  const app = contextOf(node.evertick)
  const { jobs } = node.evertick
  await jobs.create({ name: 'own', priority: 1 })
  const handler: SourceHandler = {
    type: 'source',
    url: server.url,
    headers: {},
    items: null,
    mapping: { name: 'name', schedule: 'schedule', enabled: 'enabled' },
    job: { handler: 'scan' },
    prefix: '',
    maxRemovals,
  }
  const request = { url: server.url, headers: {}, allowPrivateHosts: ['127.0.0.1'], timeoutMs: 1_000 }
  const sync = async () =>
    await syncFromUrl(app, { source: 'shop', handler, request, last: undefined, dryRun: false })
  const all = async () => await app.store.jobs.listJobs({ limit: 1_000 })
  const gone = (listed: Awaited<ReturnType<typeof all>>) =>
    listed.filter(({ pause }) => pause?.reason === 'source:shop no longer lists it').length
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      server.answer = json(whole)
      await sync()
      const before = await all()
      server.answer = answer
      // Every failure is one of ours, with a code: nothing is unforeseen.
      const error: unknown = await sync().then(
        () => null,
        (failure: unknown) => failure,
      )
      expect(error === null || error instanceof EvertickError).toBe(true)
      const after = await all()
      const left = new Set(after.map(({ id }) => id))
      expect(before.filter(({ id }) => !left.has(id))).toEqual([])
      expect(gone(after) - gone(before)).toBeLessThanOrEqual(maxRemovals)
      expect(after.find(({ name }) => name === 'own')).toMatchObject({ managedBy: 'api', revision: 1 })
      expect(error === null ? before : after).toEqual(before)
    }),
    { numRuns: 150 },
  )
})

test('an answer that never ends is given up, and changes nothing', async () => {
  const server = await answeringServer()
  const node = await openTestNode()
  onTestFinished(() => node.stop())
  server.answer = (response) => void response.writeHead(200).write('[')
  const handler = {
    type: 'source' as const,
    url: server.url,
    headers: {},
    items: null,
    mapping: { name: 'name' },
  }
  const sync = syncFromUrl(contextOf(node.evertick), {
    source: 'slow',
    handler: { ...handler, job: { handler: 'x' }, prefix: '', maxRemovals: null },
    request: { url: handler.url, headers: {}, allowPrivateHosts: ['127.0.0.1'], timeoutMs: 200 },
    last: undefined,
    dryRun: false,
  })
  await expect(sync).rejects.toMatchObject({ code: 'outbound_failed' })
})
