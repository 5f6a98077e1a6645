/** A handler apart from its node is of the same trace: the node answers its calls, and makes their spans. */
import { describe, expect, it } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { idsOf, recordSpans } from '../observe/recorded-spans.ts'
import { modes, openIsolated, worksJob } from './isolated-nodes.ts'

const spans = recordSpans()
const other = defineJob({ name: 'other' })

describe.each(modes)('a handler in its own %s', (isolate) => {
  it('has its steps as spans of its attempt, and what they enqueue below them', async () => {
    const { ended } = await openIsolated([worksJob({ isolate }), other])
    await ended('works', { do: 'stepEnqueues' })
    const attempt = spans
      .named('evertick.execute')
      .find(({ attributes }) => attributes['evertick.job'] === 'works')
    const step = spans.only('evertick.step')
    expect(step.attributes).toEqual({
      'evertick.step': 'order',
      'evertick.step.kind': 'step',
      'evertick.step.tries': 1,
      'evertick.outcome': 'done',
    })
    expect(idsOf(step).parent).toBe(attempt === undefined ? null : idsOf(attempt).span)
    const [, enqueued] = spans.named('evertick.enqueue').map(idsOf)
    expect(enqueued?.parent).toBe(idsOf(step).span)
  })

  it('says which of its steps were remembered', async () => {
    const { file, ended } = await openIsolated([worksJob({ isolate, retry: { attempts: 2, base: '10ms' } })])
    file.sql('CREATE TABLE orders (number INTEGER NOT NULL, execution_id TEXT NOT NULL)')
    await ended('works', { do: 'steps' })
    const [died, again] = spans.named('evertick.execute')
    expect(spans.named('evertick.step').map((span) => idsOf(span).parent)).toEqual(
      [died, died].map((span) => span && idsOf(span).span),
    )
    expect(again?.events.map(({ name, attributes }) => [name, attributes?.['evertick.step']])).toEqual([
      ['evertick.step.remembered', 'one'],
      ['evertick.step.remembered', 'two'],
    ])
  })
})
