import { expect, test } from 'vitest'
import {
  jobActions,
  jobStates,
  legalActions,
  nextJobState,
  type OperatorAction,
} from '../../../src/core/job/job-state.ts'

/** The table as a person reads it: `-` is refused. */
const table: Readonly<Record<string, string>> = {
  //          pause   resume  cancel    disable   enable  edit      trigger   backfill
  active: 'paused    -      cancelled disabled  -       active    active    active',
  paused: '-         active cancelled -         -       paused    paused    paused',
  disabled: 'paused    active cancelled -         active  disabled  disabled  disabled',
  completed: '-         -      cancelled -         -       completed completed completed',
  cancelled: '-         active -         -         -       cancelled -         -',
  error: 'paused    active cancelled -         -       active    error     -',
}

const cells = jobStates.flatMap((state) =>
  jobActions.map((action, index) => ({ state, action, next: table[state]?.split(/\s+/)[index] })),
)

const legal = cells.filter(({ next }) => next !== '-')
const illegal = cells.filter(({ next }) => next === '-')

/** `disable` and `enable` are Evertick's own. */
const isOwn = (action: string) => action === 'disable' || action === 'enable'

test.each(legal)('a job that is $state: $action -> $next', ({ state, action, next }) => {
  expect(nextJobState('mail', state, action)).toBe(next)
  expect(legalActions(state, null).includes(action as OperatorAction)).toBe(!isOwn(action))
})

test.each(illegal)(
  'a job that is $state: $action is refused, and says what is legal',
  ({ state, action }) => {
    const actions = legalActions(state, null)
    expect(actions).not.toContain(action)
    expect(() => nextJobState('mail', state, action)).toThrowError(
      expect.objectContaining({
        code: 'invalid_transition',
        message: expect.stringMatching(
          `^Cannot ${action} job "mail": it is ${state}( already)?\\.$`,
        ) as unknown,
        next: `While it is ${state} you can: ${actions.join(', ')}.`,
        transition: { state, asked: asked[action], actions },
      }),
    )
  },
)

const asked = {
  pause: 'paused',
  resume: 'active',
  cancel: 'cancelled',
  disable: 'disabled',
  enable: 'active',
  edit: 'active',
  trigger: 'pending',
  backfill: 'pending',
} as const

test('a retry is legal where the last execution has failed and the job takes work', () => {
  expect(jobStates.filter((state) => legalActions(state, 'failed').includes('retry'))).toEqual([
    'active',
    'paused',
    'disabled',
    'completed',
    'error',
  ])
  for (const last of ['completed', 'running', 'cancelled', null] as const)
    expect(legalActions('active', last)).not.toContain('retry')
})

test('whatever happened to a job, it can be brought back: a completed one by an edit, any other by a resume', () => {
  for (const state of jobStates) {
    const way = state === 'active' || state === 'completed' ? 'edit' : 'resume'
    expect(legalActions(state, null)).toContain(way)
  }
})
