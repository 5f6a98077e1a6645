import { expect, test } from 'vitest'
import {
  assertTransition,
  type ExecutionState,
  executionStates,
  executionTransitions,
  isFinal,
} from '../../../src/core/execution/execution-state.ts'

const legal: Readonly<Record<ExecutionState, string>> = {
  blocked: 'pending cancelled',
  pending: 'running blocked cancelled',
  running: 'completed retrying failed cancelled pending blocked',
  retrying: 'running cancelled',
  completed: '',
  failed: '',
  cancelled: '',
}

const moves = executionStates.flatMap((from) =>
  executionStates.map((to) => ({ from, to, allowed: legal[from].split(' ').includes(to) })),
)

test.each(moves.filter(({ allowed }) => allowed))('$from -> $to', ({ from, to }) => {
  expect(executionTransitions[from]).toContain(to)
  expect(() => assertTransition('e1', from, to)).not.toThrow()
})

test.each(moves.filter(({ allowed }) => !allowed))('$from -> $to is refused', ({ from, to }) => {
  expect(executionTransitions[from]).not.toContain(to)
  expect(() => assertTransition('e1', from, to)).toThrowError(
    expect.objectContaining({
      code: 'invalid_transition',
      message: `Execution e1 cannot go from ${from} to ${to}.`,
      next: expect.stringContaining(from) as unknown,
    }),
  )
})

test('three states are final, and every other leads to one of them', () => {
  expect(executionStates.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled'])
  for (const state of executionStates.filter((one) => !isFinal(one))) {
    expect(executionTransitions[state]).toContain('cancelled')
  }
})
