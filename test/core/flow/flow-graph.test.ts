import { describe, expect, test } from 'vitest'
import type { FlowStep } from '../../../src/core/flow/flow.ts'
import { endOfFlow } from '../../../src/core/flow/flow.ts'
import { childrenOf, descendantsOf, inOrder, refuseBadFlow } from '../../../src/core/flow/flow-graph.ts'
import { flowTree } from '../../../src/core/flow/flow-tree.ts'

/** `d: x e` is a step after x and e. */
function flow(...lines: string[]): FlowStep[] {
  return lines.map((line) => {
    const [name = '', after = ''] = line.split(':')
    return { name, after: after.split(' ').filter((one) => one !== ''), onFailure: 'cancel' }
  })
}

describe('what is no flow is refused', () => {
  const rows: readonly [string, FlowStep[], string][] = [
    ['without steps', [], 'A flow has at least one step.'],
    [
      'a step after one that is not there',
      flow('fetch', 'parse:fetsh'),
      'Step "parse" comes after "fetsh", which is no step of the flow.',
    ],
    ['a step after itself', flow('a:a'), 'The steps wait for each other: a -> a.'],
    [
      'a circle, which is named in the order of its steps',
      flow('go', 'a:c go', 'b:a', 'c:b', 'd:c'),
      'The steps wait for each other: ',
    ],
    ['a step named twice in one `after`', flow('a', 'b:a a'), 'Step "b" names a step twice in its `after`.'],
    ['a step without a name', flow(' '), 'The name of a step must be a text of 1 to 100 characters.'],
  ]
  test.each(rows)('%s', (_, steps, message) => {
    expect(() => refuseBadFlow(steps)).toThrow(message)
  })

  test('the circle names only its own steps, each before the one that waits for it', () => {
    let said = ''
    try {
      refuseBadFlow(flow('go', 'a:c go', 'b:a', 'c:b', 'd:c'))
    } catch (error) {
      said = (error as Error).message
    }
    const circle = said.split(': ')[1]?.replace('.', '').split(' -> ') ?? []
    expect(circle).toHaveLength(4)
    expect(circle[0]).toBe(circle[3])
    for (const [index, name] of circle.slice(0, -1).entries()) {
      expect(['a b', 'b c', 'c a']).toContain(`${name} ${circle[index + 1]}`)
    }
  })

  test('a misspelled parent is told its nearest name', () => {
    expect(() => refuseBadFlow(flow('fetch', 'parse:fetsh'))).toThrow(
      expect.objectContaining({
        code: 'invalid_option',
        field: 'steps.parse.after',
        next: 'Did you mean "fetch"?',
      }),
    )
  })
})

test('parents come before their children, whatever order they were written in', () => {
  const ordered = inOrder(flow('d:b c', 'b:a', 'c:a', 'a'))?.map(({ name }) => name) ?? []
  expect(ordered.toSorted()).toEqual(['a', 'b', 'c', 'd'])
  expect(ordered[0]).toBe('a')
  expect(ordered[3]).toBe('d')
})

test('a chain of twenty thousand is walked in no time, and without a deep stack', () => {
  const chain = flow('s0', ...Array.from({ length: 19_999 }, (_, index) => `s${index + 1}:s${index}`))
  expect(() => refuseBadFlow(chain)).not.toThrow()
  expect(descendantsOf(childrenOf(chain), ['s0']).size).toBe(19_999)
  expect(flowTree(chain)).toHaveLength(20_000)
})

test('descendants are all that come after, at any distance', () => {
  const children = childrenOf(flow('a', 'b:a', 'c:b', 'd', 'e:d c'))
  expect([...descendantsOf(children, ['a'])].toSorted()).toEqual(['b', 'c', 'e'])
  expect([...descendantsOf(children, ['d'])]).toEqual(['e'])
})

test('the tree shows each step once, below the first that it comes after', () => {
  const lines = flowTree(flow('fetch', 'parse:fetch', 'check:fetch', 'store:parse check', 'lone'))
  const shown = lines.map(
    ({ indent, name, also }) => `${indent}${name}${also.length > 0 ? ` (${also.join()})` : ''}`,
  )
  expect(shown).toEqual(['fetch', '├─ parse', '│  └─ store (check)', '└─ check', 'lone'])
})

test('a flow ends by its steps, and a failure after which the others went on is not its own', () => {
  const ends = (...steps: ['cancel' | 'continue', 'completed' | 'failed' | 'cancelled'][]) =>
    endOfFlow(steps.map(([onFailure, state]) => ({ onFailure, state })))
  expect(ends(['cancel', 'completed'])).toBe('completed')
  expect(ends(['cancel', 'completed'], ['continue', 'failed'])).toBe('completed')
  expect(ends(['cancel', 'cancelled'], ['cancel', 'completed'])).toBe('cancelled')
  expect(ends(['cancel', 'cancelled'], ['cancel', 'failed'])).toBe('failed')
})
