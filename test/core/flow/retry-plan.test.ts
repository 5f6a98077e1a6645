import { expect, test } from 'vitest'
import type { StandingStep } from '../../../src/core/flow/flow.ts'
import { retryPlan, stepsToRetry } from '../../../src/core/flow/retry-plan.ts'

/** `d cancelled: x e` is a cancelled step after x and e; `x* failed` lets the others go on. */
function flow(...lines: string[]): StandingStep[] {
  return lines.map((line) => {
    const [head = '', after = ''] = line.split(':')
    const [name = '', state = ''] = head.split(' ')
    return {
      name: name.replace('*', ''),
      state: state as StandingStep['state'],
      after: after.split(' ').filter((one) => one !== ''),
      onFailure: name.endsWith('*') ? 'continue' : 'cancel',
    }
  })
}

function remade(steps: StandingStep[], ...roots: string[]): string[] {
  return retryPlan(steps, roots).map(({ name, openParents }) => `${name} ${openParents}`)
}

test('a step is made again with all that comes after it, and these wait for it', () => {
  const steps = flow('a completed', 'b failed:a', 'c cancelled:b', 'd cancelled:c a')
  expect(remade(steps, 'b')).toEqual(['b 0', 'c 1', 'd 1'])
})

test('from a step on: also what had completed', () => {
  expect(remade(flow('a completed', 'b completed:a', 'c completed:b'), 'b')).toEqual(['b 0', 'c 1'])
})

test('D after X and E, both failed; X is retried, and D does not start', () => {
  const steps = flow('x failed', 'e failed', 'd cancelled:x e')
  expect(remade(steps, 'x')).toEqual(['x 0'])
  expect(remade(steps, 'x', 'e')).toEqual(['x 0', 'e 0', 'd 2'])
})

test('nor what comes after D, though the step between lets the others go on', () => {
  const steps = flow('a failed', 's failed', 'x* cancelled:a', 'd cancelled:x s')
  expect(remade(steps, 's')).toEqual(['s 0'])
})

test('an unfinished other parent is waited for', () => {
  expect(remade(flow('x failed', 'e running', 'd cancelled:x e'), 'x')).toEqual(['x 0', 'd 2'])
})

test('a tolerated failure is no hindrance', () => {
  expect(remade(flow('x* failed', 'y failed', 'd cancelled:x y'), 'y')).toEqual(['y 0', 'd 1'])
})

test('refused while a descendant is unfinished', () => {
  expect(() => retryPlan(flow('a completed', 'b running:a'), ['a'])).toThrow('Step "b" is running')
  expect(() => retryPlan(flow('a running'), ['a'])).toThrow('Step "a" is running: it has not ended.')
})

test('refused after a parent that failed', () => {
  expect(() => retryPlan(flow('a failed', 'b cancelled:a'), ['b'])).toThrow(
    'Step "b" comes after a, which did not complete.',
  )
})

test('the flow as a whole: all that did not complete, but for what was tolerated', () => {
  const steps = flow('a failed', 'b cancelled:a', 'c* failed', 'd completed:c', 'e* cancelled')
  expect(stepsToRetry(steps)).toEqual(['a', 'b', 'e'])
  expect(remade(steps, ...stepsToRetry(steps))).toEqual(['a 0', 'e 0', 'b 1'])
})
