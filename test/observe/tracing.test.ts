/** One trace from whoever asks for work to whoever does it. */
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { expect, onTestFinished, test } from 'vitest'
import { accessOf, apiOf } from '../../src/http/mounts/server.ts'
import { defineJob, Evertick, type Logger } from '../../src/index.ts'
import { openTestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { idsOf, recordSpans } from './recorded-spans.ts'

const secrets = ['a-secret-of-the-tests-0123456789-abcdefghij']
const spans = recordSpans()
const tracer = trace.getTracer('the app')
const asked = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const traceparent = `00-${asked.trace}-${asked.span}-01`

const inner = defineJob({ name: 'inner', run: () => 'inside' })
const outer = defineJob({
  name: 'outer',
  run: async (ctx) => {
    await tracer.startActiveSpan('work of the app', async (span) => {
      await ctx.enqueue(inner)
      span.end()
    })
    return ctx.metadata
  },
})
const broken = defineJob({
  name: 'broken',
  retry: { attempts: 2, base: '1s' },
  run: () => {
    throw new TypeError('broken on purpose')
  },
})
const minutely = defineJob({
  name: 'minutely',
  schedule: { every: '1m', anchor: 'epoch' },
  run: () => 'done',
})

async function openNode(options: Partial<TestNodeOptions> = {}) {
  const node = await openTestNode({ jobs: [outer, inner, broken], ...options })
  onTestFinished(() => node.stop())
  return node
}

test('an execution goes on in the trace of its enqueue, and so does all that its handler does', async () => {
  const node = await openNode()
  const { id } = await tracer.startActiveSpan('request', async (span) => {
    const made = await node.evertick.enqueue(outer, undefined, { metadata: { own: 1 } })
    span.end()
    return made
  })
  await node.advance('1s')
  const request = idsOf(spans.only('request'))
  const [enqueue, nested] = spans.named('evertick.enqueue').map(idsOf)
  const runOf = (job: string) => {
    const [run] = spans
      .named('evertick.execute')
      .filter(({ attributes }) => attributes['evertick.job'] === job)
    return run === undefined ? null : idsOf(run)
  }
  const [executed, inside] = [runOf('outer'), runOf('inner')]
  const work = idsOf(spans.only('work of the app'))
  expect(enqueue).toMatchObject({ trace: request.trace, parent: request.span })
  expect(executed).toMatchObject({ trace: request.trace, parent: enqueue?.span })
  expect(work).toMatchObject({ trace: request.trace, parent: executed?.span })
  expect(nested).toMatchObject({ trace: request.trace, parent: work.span })
  expect(inside).toMatchObject({ trace: request.trace, parent: nested?.span })
  const { traceId, metadata, result } = await node.evertick.executions.get(id)
  expect({ traceId, metadata }).toEqual({ traceId: request.trace, metadata: { own: 1 } })
  // A handler that calls elsewhere by hand passes on the span that it runs in.
  expect(result).toEqual({ own: 1, traceparent: `00-${request.trace}-${executed?.span}-01` })
})

test('spans say what they are, by the names of the conventions', async () => {
  const node = await openNode()
  const { id } = await node.evertick.enqueue(inner, undefined, { queue: 'default' })
  await node.evertick.enqueueMany([{ job: inner }, { job: inner }])
  await node.advance('1s')
  const [one, many] = spans.named('evertick.enqueue')
  expect([one?.kind, one?.attributes]).toEqual([
    SpanKind.PRODUCER,
    {
      'messaging.system': 'evertick',
      'messaging.operation.name': 'enqueue',
      'messaging.operation.type': 'send',
      'messaging.message.id': id,
      'messaging.destination.name': 'default',
      'evertick.job': 'inner',
      'evertick.cause': 'enqueue',
    },
  ])
  expect(many?.attributes).toMatchObject({ 'messaging.batch.message_count': 2 })
  const executed = spans
    .named('evertick.execute')
    .find(({ attributes }) => attributes['messaging.message.id'] === id)
  expect([executed?.kind, executed?.attributes]).toEqual([
    SpanKind.CONSUMER,
    expect.objectContaining({
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'default',
      'evertick.job': 'inner',
      'evertick.attempt': 1,
      'evertick.outcome': 'done',
    }),
  ])
})

test('a failed attempt is an error, and its retry is of the same trace', async () => {
  const node = await openNode()
  await node.evertick.enqueue(broken)
  await node.advance('1m')
  const tries = spans.named('evertick.execute')
  expect(
    tries.map(({ status, attributes, events }) => [status.code, attributes['error.type'], events[0]?.name]),
  ).toEqual([
    [SpanStatusCode.ERROR, 'TypeError', 'exception'],
    [SpanStatusCode.ERROR, 'TypeError', 'exception'],
  ])
  expect(new Set(tries.map((span) => idsOf(span).trace))).toEqual(
    new Set([idsOf(spans.only('evertick.enqueue')).trace]),
  )
})

test('ticks are accounted for in spans of their own, and each run of one begins a trace', async () => {
  const node = await openNode({ jobs: [minutely] })
  await node.advance('2m')
  expect(spans.named('evertick.tick').map(({ attributes }) => attributes['evertick.ticks'])).toEqual([1, 1])
  const runs = spans.named('evertick.execute').map(idsOf)
  expect(runs.map(({ parent }) => parent)).toEqual([null, null])
  expect(new Set(runs.map((run) => run.trace)).size).toBe(2)
  expect((await node.executions(minutely)).map(({ traceId }) => traceId)).toEqual([null, null])
})

test.each([
  ['where this node traces', undefined],
  ['where it does not', false],
])('a request’s traceparent reaches what it enqueues and triggers, %s', async (_where, tracing) => {
  const node = await openNode(tracing === undefined ? {} : { tracing })
  const api = apiOf(node.evertick, { secrets })
  const { token } = await accessOf(node.evertick, { secrets }).createToken({ role: 'operator' })
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent }
    const request = new Request(`http://app/api/v1${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return (await (await api.fetch(request)).json()) as { id: string }
  }
  const { id } = await post('/executions', { job: 'inner' })
  const triggered = await post('/jobs/inner/trigger', {})
  const seen = await Promise.all(
    [id, triggered.id].map(async (made) => await node.evertick.executions.get(made)),
  )
  expect(seen.map(({ traceId, metadata }) => [traceId, metadata])).toEqual([
    [asked.trace, {}],
    [asked.trace, {}],
  ])
  const enqueued = spans.named('evertick.enqueue').map(idsOf)
  const child = { trace: asked.trace, parent: asked.span }
  expect(enqueued).toMatchObject(tracing === false ? [] : [child, child])
})

test('what cannot be followed is left alone', async () => {
  const node = await openNode()
  const odd = [
    '',
    'no',
    '00-0-0-0',
    `ff-${asked.trace}-${asked.span}-01`,
    `00-${'0'.repeat(32)}-${asked.span}-01`,
    7,
  ]
  for (const value of odd) {
    const { id } = await node.evertick.enqueue(inner, undefined, { metadata: { traceparent: value } })
    const { traceId } = await node.evertick.executions.get(id)
    expect(traceId).toBe(idsOf(spans.named('evertick.enqueue').at(-1) as never).trace)
  }
})

test('lines of the log name the trace that they were written in', async () => {
  const logged: [string, object | undefined][] = []
  const say = (message: string, details?: object) => void logged.push([message, details])
  const logger: Logger = { debug: say, info: say, warn: say, error: say }
  const telling = defineJob({ name: 'telling', run: async (ctx) => await ctx.progress(0.5) })
  const node = await openNode({ jobs: [telling], logger })
  node.evertick.on('execution:progress', () => {
    throw new Error('a listener of the app')
  })
  await node.evertick.enqueue(telling)
  await node.advance('1s')
  const { trace: traceId, span: spanId } = idsOf(spans.only('evertick.execute'))
  expect(logged).toContainEqual([
    'An event listener threw',
    expect.objectContaining({ traceId, spanId, nodeId: node.evertick.nodeId }),
  ])
})

test('told not to, it makes no span', async () => {
  const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs: [inner], tracing: false })
  onTestFinished(() => evertick.stop())
  const { id } = await evertick.enqueue(inner)
  expect(spans.named('evertick.enqueue')).toEqual([])
  expect((await evertick.executions.get(id)).traceId).toBeNull()
})
