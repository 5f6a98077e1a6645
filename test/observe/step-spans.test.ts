/** A trace tells steps, sleeps and waits: what ran, what rested and for how long, what was remembered; never what was said. */
import { SpanStatusCode, trace } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { expect, onTestFinished, test } from 'vitest'
import { defineJob, type JobContext } from '../../src/index.ts'
import { openTestNode, type TestNodeOptions } from '../../src/testing/index.ts'
import { databaseFile } from '../promises/support.ts'
import { idsOf, recordSpans } from './recorded-spans.ts'

const hour = 3_600_000
const spans = recordSpans()
const tracer = trace.getTracer('the app')

async function opened(run: (ctx: JobContext) => unknown, options: Partial<TestNodeOptions> = {}) {
  const job = defineJob({ name: 'job', retry: { attempts: 3, base: '1s' }, run })
  const node = await openTestNode({ jobs: [job], ...options })
  onTestFinished(() => node.stop())
  const { id } = await node.evertick.enqueue(job)
  return { node, id }
}

/** One instrumented call, as of a client that traces. */
async function call(name: string): Promise<string> {
  return await tracer.startActiveSpan(name, async (span) => {
    await Promise.resolve()
    span.end()
    return 'a secret answer'
  })
}

/** Oldest end first: the name, kind and outcome of each step, and in which attempt it is. */
function stepsSeen() {
  const attempts = spans.named('evertick.execute')
  return spans.named('evertick.step').map((span) => {
    const { 'evertick.step': name, 'evertick.step.kind': kind, 'evertick.outcome': outcome } = span.attributes
    const attempt = attempts.findIndex((one) => idsOf(one).span === idsOf(span).parent) + 1
    return `${String(kind)} ${String(name)}: ${String(outcome)} in ${attempt}`
  })
}

const remembered = ({ events }: ReadableSpan) =>
  events
    .filter(({ name }) => name === 'evertick.step.remembered')
    .map(({ attributes }) => [attributes?.['evertick.step.kind'], attributes?.['evertick.step']])

const lastedMs = ({ duration: [seconds, nanos] }: ReadableSpan) => seconds * 1_000 + nanos / 1_000_000

test('a step is a span of its attempt, and what its function calls is below it', async () => {
  const { node } = await opened(async (ctx) => {
    await call('before')
    await ctx.step('charge', () => call('card'))
    await Promise.all([ctx.step('left', () => call('l')), ctx.step('right', () => call('r'))])
  })
  await node.advance('1s')
  const parentOf = (name: string) => idsOf(spans.only(name)).parent
  const spanOf = (step: string) =>
    spans
      .named('evertick.step')
      .filter(({ attributes }) => attributes['evertick.step'] === step)
      .map((span) => idsOf(span).span)
  expect(parentOf('before')).toBe(idsOf(spans.only('evertick.execute')).span)
  expect([parentOf('card'), parentOf('l'), parentOf('r')]).toEqual(
    ['charge', 'left', 'right'].flatMap(spanOf),
  )
  expect(stepsSeen().toSorted()).toEqual([
    'step charge: done in 1',
    'step left: done in 1',
    'step right: done in 1',
  ])
})

test('so is what it calls within its transaction, on a file too, where writers take turns', async () => {
  const database = databaseFile()
  const options = { transaction: true } as const
  const { node } = await opened(
    async (ctx) => {
      await Promise.all([
        ctx.step('a', () => call('in a'), options),
        ctx.step('b', () => call('in b'), options),
      ])
    },
    { database: database.url },
  )
  await node.advance('1s')
  const stepAbove = (call: string) =>
    spans.named('evertick.step').find((span) => idsOf(span).span === idsOf(spans.only(call)).parent)
  expect(['in a', 'in b'].map((call) => stepAbove(call)?.attributes['evertick.step'])).toEqual(['a', 'b'])
})

test('a step that fails is an error, with its tries, and a try more is not', async () => {
  const { node } = await opened(async (ctx) => {
    const retry = { attempts: 2, base: '1s' } as const
    await ctx.step(
      'flaky',
      ({ attempt }) => {
        if (attempt === 1) throw new Error('not yet')
      },
      { retry },
    )
    await ctx.step(
      'broken',
      () => {
        throw Object.assign(new TypeError('for postgres://me:secret@db/shop'), { code: 'E_BROKEN' })
      },
      { retry },
    )
  })
  await node.advance('3s')
  const [flaky, broken] = spans.named('evertick.step')
  expect([flaky?.status.code, flaky?.attributes]).toEqual([
    SpanStatusCode.UNSET,
    {
      'evertick.step': 'flaky',
      'evertick.step.kind': 'step',
      'evertick.step.tries': 2,
      'evertick.outcome': 'done',
    },
  ])
  expect([broken?.status.code, broken?.attributes]).toEqual([
    SpanStatusCode.ERROR,
    {
      'evertick.step': 'broken',
      'evertick.step.kind': 'step',
      'evertick.step.tries': 2,
      'evertick.outcome': 'error',
      'error.type': 'E_BROKEN',
    },
  ])
  expect(broken?.events.map(({ name }) => name)).toEqual(['exception'])
  expect(JSON.stringify([broken?.events, broken?.status])).not.toContain('secret')
})

test('a sleep is told once, whole, in the attempt that goes on behind it; then it is remembered', async () => {
  const { node } = await opened(async (ctx) => {
    await ctx.step('one', () => call('first'))
    await ctx.sleep('a while', '1h')
    if (ctx.attempt === 1) throw new Error('once more')
  })
  await node.advance('2h')
  expect(stepsSeen()).toEqual(['step one: done in 1', 'sleep a while: slept in 2'])
  const attempts = spans.named('evertick.execute')
  expect(attempts.map(({ attributes }) => attributes['evertick.outcome'])).toEqual(['rest', 'error', 'done'])
  expect(attempts.map(remembered)).toEqual([
    [],
    [['step', 'one']],
    [
      ['step', 'one'],
      ['sleep', 'a while'],
    ],
  ])
  const [, slept] = spans.named('evertick.step')
  expect(slept === undefined ? null : Math.round(lastedMs(slept) / hour)).toBe(1)
})

test('a sleep that holds its slot is a span of that attempt', async () => {
  const { node } = await opened(async (ctx) => {
    await Promise.all([ctx.sleep('nap', '2s'), ctx.step('work', () => node.clock.sleep(5_000))])
  })
  await node.advance('10s')
  expect(stepsSeen()).toEqual(['sleep nap: slept in 1', 'step work: done in 1'])
})

test('a wait says whether it was answered, and not with what', async () => {
  const { node, id } = await opened(async (ctx) => [
    await ctx.waitFor('approval'),
    await ctx.waitFor('second', { timeout: '1m' }),
    await ctx.waitFor('early'),
  ])
  await node.advance('1h')
  await node.evertick.signal(id, 'approval', { card: 'a secret number' })
  await node.evertick.signal(id, 'early', 'a secret, too')
  await node.advance('2m')
  expect(stepsSeen()).toEqual(['wait approval: signalled in 2', 'wait second: timed_out in 3'])
  // Its signal was there before it: nobody has waited.
  expect(spans.named('evertick.execute').map(remembered)).toEqual([
    [],
    [],
    [
      ['wait', 'approval'],
      ['wait', 'early'],
    ],
  ])
  const [answered] = spans.named('evertick.step')
  expect(answered === undefined ? null : Math.round(lastedMs(answered) / hour)).toBe(1)
  const told = ['evertick.step', 'evertick.execute'].flatMap((name) =>
    spans.named(name).map(({ attributes, events }) => [attributes, events]),
  )
  expect(JSON.stringify(told)).not.toContain('secret')
})
