import { expect, test } from 'vitest'
import { EvertickError } from '../../../src/core/error.ts'
import {
  jobActions,
  jobStates,
  jobTransitions,
  legalActions,
  nextJobState,
} from '../../../src/core/job/job-state.ts'

/** The table as a person reads it: `-` is refused. */
const table: Readonly<Record<string, string>> = {
  //          pause   resume  cancel    disable   enable  edit      trigger   backfill
  active: 'paused    -      cancelled disabled  -       active    active    active',
  paused: 'paused    active cancelled -         -       paused    paused    paused',
  disabled: 'paused    active cancelled -         active  disabled  disabled  disabled',
  completed: '-         active cancelled -         -       completed completed completed',
  cancelled: '-         active -         -         -       cancelled -         -',
  error: 'paused    active cancelled -         -       active    error     -',
}

const cells = jobStates.flatMap((state) =>
  jobActions.map((action, index) => ({ state, action, next: table[state]?.split(/\s+/)[index] })),
)

const legal = cells.filter(({ next }) => next !== '-')
const illegal = cells.filter(({ next }) => next === '-')

test.each(legal)('a job that is $state: $action -> $next', ({ state, action, next }) => {
  expect(nextJobState('mail', state, action)).toBe(next)
  expect(legalActions(state)).toContain(action)
})

test.each(illegal)('a job that is $state: $action is refused', ({ state, action }) => {
  expect(jobTransitions[state][action]).toBeNull()
  expect(legalActions(state)).not.toContain(action)
  expect(() => nextJobState('mail', state, action)).toThrowError(
    new EvertickError('invalid_transition', `Cannot ${action} job "mail": it is ${state}.`, {
      next: `While it is ${state} you can: ${legalActions(state).join(', ')}.`,
    }),
  )
})

test('whatever happened to a job, it can be brought back', () => {
  for (const state of jobStates) {
    expect(state === 'active' || legalActions(state).includes('resume')).toBe(true)
  }
})
