/** The steps of an execution's page, as bars and in words. */
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { Step } from '../../dashboard/src/screens/execution/step-bars.ts'

// The dashboard's clock looks at the page, and ticks. Other files share this process: what is not real goes with this one.
vi.useFakeTimers()
vi.stubGlobal('document', { hidden: false, addEventListener: () => {}, createElement: () => ({}) })
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
const { stepBars, stepSentence } = await import('../../dashboard/src/screens/execution/step-bars.ts')

const begin = Date.parse('2026-11-17T10:00:00Z')
const at = (seconds: number) => new Date(begin + seconds * 1_000).toISOString()
const createdAt = at(0)

/** From and to in seconds; without an end it is open. */
function step(name: string, from: number, to: number | null, more: Partial<Step> = {}): Step {
  return {
    name,
    kind: 'step',
    outcome: 'done',
    result: null,
    attempt: 1,
    tries: 1,
    startedAt: at(from),
    until: null,
    finishedAt: to === null ? null : at(to),
    by: null,
    ...more,
  }
}

const placesOf = (steps: Step[], now = begin) =>
  stepBars({ steps, createdAt }, now).map(({ place }) => place && [place.left, place.width].map(Math.round))

describe('the bars of steps', () => {
  it('share an axis of square roots: a long sleep does not hide a short step', () => {
    const sleep = step('rest', 1, 101 * 101 + 1, { kind: 'sleep', outcome: 'slept' })
    expect(placesOf([step('a', 0, 1), sleep])).toEqual([
      [0, 1],
      [1, 99],
    ])
    expect(placesOf([step('a', 0, 9), step('b', 9, 10)])).toEqual([
      [0, 75],
      [75, 25],
    ])
  })

  it('stand side by side where they ran at once', () => {
    expect(placesOf([step('a', 0, 4), step('b', 0, 4), step('c', 0, 8)])).toEqual([
      [0, 50],
      [0, 50],
      [0, 100],
    ])
  })

  it('reach until now where they are open, and are a mark where they took no time', () => {
    const open = { kind: 'wait', outcome: 'open' } as const
    expect(placesOf([step('a', 0, 1), step('w', 1, null, open)], begin + 2_000)).toEqual([
      [0, 50],
      [50, 50],
    ])
    expect(placesOf([step('a', 0, 0)])).toEqual([[0, 0]])
    // The server's clock may be ahead of the browser's.
    expect(placesOf([step('w', 5, null, open)])).toEqual([[0, 0]])
  })

  it('have no place where an earlier run has done them, and leave the axis to the others', () => {
    expect(placesOf([step('old', -100, -50), step('new', 1, 2)])).toEqual([null, [0, 100]])
  })
})

describe('a step in words', () => {
  const sentence = (of: Step) =>
    stepBars({ steps: [of], createdAt }, begin).map((bar) => stepSentence(bar, 'UTC'))[0]
  it.each([
    [step('a', 0, 2), 'done in 2 s'],
    [step('a', 0, 2, { tries: 3 }), 'done in 2 s, 3 tries'],
    [step('a', -9, -7), 'done in 2 s, kept from the earlier run'],
    [step('a', 0, 60, { kind: 'sleep', outcome: 'slept' }), 'slept 1 min'],
    [step('a', 0, 60, { kind: 'wait', outcome: 'signalled', by: 'ana' }), 'answered by ana after 1 min'],
    [step('a', 0, 0, { kind: 'wait', outcome: 'signalled', by: 'ana' }), 'answered by ana before it waited'],
    [step('a', 0, 60, { kind: 'wait', outcome: 'timed_out' }), 'timed out after 1 min'],
    [step('a', 0, null, { kind: 'wait', outcome: 'open' }), 'waiting for a signal'],
  ])('%# says how it ended', (of, words) => expect(sentence(of)).toBe(words))
})
