import { expect, test } from 'vitest'
import {
  type ExecutionState,
  executionStates,
  executionTransitions,
  isFinal,
  refuseIllegalAction,
} from '../../../src/core/execution/execution-state.ts'

const legal: Readonly<Record<ExecutionState, string>> = {
  blocked: 'pending cancelled',
  pending: 'running blocked cancelled',
  running: 'completed retrying sleeping waiting failed cancelled pending blocked',
  retrying: 'running cancelled',
  sleeping: 'running cancelled',
  waiting: 'running cancelled',
  completed: '',
  failed: '',
  cancelled: '',
}

const moves = executionStates.flatMap((from) =>
  executionStates.map((to) => ({ from, to, allowed: legal[from].split(' ').includes(to) })),
)

test.each(moves)('$from -> $to: $allowed', ({ from, to, allowed }) => {
  expect(executionTransitions[from].includes(to)).toBe(allowed)
})

test.each(executionStates)('%s: what is not legal is refused with both states and what is', (state) => {
  const execution = { id: 'e1', state, cancelRequestedAt: null }
  const [may, mayNot] = isFinal(state) ? (['retry', 'cancel'] as const) : (['cancel', 'retry'] as const)
  expect(() => refuseIllegalAction(execution, may)).not.toThrow()
  expect(() => refuseIllegalAction(execution, mayNot)).toThrowError(
    expect.objectContaining({
      code: 'invalid_transition',
      message: `Cannot ${mayNot} execution e1: it is ${state}.`,
      transition: { state, asked: mayNot === 'cancel' ? 'cancelled' : 'pending', actions: [may] },
    }),
  )
})

test('one that was asked to stop is not asked again', () => {
  const execution = { id: 'e1', state: 'running', cancelRequestedAt: 1 } as const
  expect(() => refuseIllegalAction(execution, 'cancel')).toThrowError(
    expect.objectContaining({
      message: 'Cannot cancel execution e1: it is running and has already been asked to stop.',
      transition: { state: 'running', asked: 'cancelled', actions: [] },
    }),
  )
})

test('three states are final, and every other leads to one of them', () => {
  expect(executionStates.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled'])
  for (const state of executionStates.filter((one) => !isFinal(one))) {
    expect(executionTransitions[state]).toContain('cancelled')
  }
})
