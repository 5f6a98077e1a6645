/** What the ends of its parents make of a job's run, as histories. */
import { expect, test } from 'vitest'
import type { ParentOutcome } from '../../../src/core/dependency/edge.ts'
import { awaited, closed, type Join, verdict, withEnd } from '../../../src/core/dependency/join.ts'
import { joinSentence } from '../../../src/core/dependency/join-words.ts'

const all: Join = {
  mode: 'all',
  byPeriod: false,
  parents: [awaited('a', 'success'), awaited('b', 'success')],
}

function after(join: Join, ...ends: readonly (readonly [job: string, outcome: ParentOutcome])[]): Join {
  const parents = ends.reduce<Join['parents']>(
    (so, [job, outcome]) => withEnd(so, { job, outcome, executionId: null, at: 0 }),
    join.parents,
  )
  return { ...join, parents }
}

test.each([
  ['success', 'completed', 'made'],
  ['success', 'failed', 'not_made'],
  ['success', 'cancelled', 'not_made'],
  ['success', 'not_made', 'not_made'],
  ['failure', 'failed', 'made'],
  ['failure', 'completed', 'not_made'],
  ['failure', 'cancelled', 'not_made'],
  ['failure', 'not_made', 'not_made'],
  ['any', 'completed', 'made'],
  ['any', 'failed', 'made'],
  ['any', 'cancelled', 'made'],
  ['any', 'not_made', 'made'],
] as const)('on %s, a parent that is %s: %s', (on, outcome, state) => {
  expect(verdict(after({ ...all, parents: [awaited('a', on)] }, ['a', outcome]))).toBe(state)
})

test('all: the last one makes it, and the first that cannot any more ends it', () => {
  expect(verdict(after(all, ['a', 'completed']))).toBe('open')
  expect(verdict(after(all, ['a', 'completed'], ['b', 'completed']))).toBe('made')
  expect(verdict(after(all, ['b', 'failed']))).toBe('not_made')
})

test('a retry that completes replaces what was not made; what was met stays met', () => {
  expect(verdict(after(all, ['a', 'failed'], ['b', 'completed'], ['a', 'completed']))).toBe('made')
  expect(verdict(after(all, ['a', 'completed'], ['a', 'failed'], ['b', 'completed']))).toBe('made')
})

test('any: the first makes it, and only the last can end it', () => {
  const any: Join = { ...all, mode: 'any' }
  expect(verdict(after(any, ['a', 'failed']))).toBe('open')
  expect(verdict(after(any, ['a', 'failed'], ['b', 'completed']))).toBe('made')
  expect(verdict(after(any, ['a', 'failed'], ['b', 'cancelled']))).toBe('not_made')
})

test('by a period a failure ends nothing: another run of the day may succeed', () => {
  const daily: Join = { ...all, byPeriod: true }
  expect(verdict(after(daily, ['a', 'failed'], ['b', 'completed']))).toBe('open')
  expect(verdict(after(daily, ['a', 'failed'], ['b', 'completed'], ['a', 'completed']))).toBe('made')
})

test('whatever became of it is a sentence', () => {
  const told = (join: Join, reason: 'parents' | 'disabled' = 'parents') =>
    joinSentence({ ...join, state: verdict(join), reason })
  expect(told(after(all, ['a', 'completed']))).toBe('It waits until "b" succeeds. "a" has completed.')
  expect(told(after(all, ['a', 'failed']))).toBe('It was not made: "a" failed and "b" has not run yet.')
  expect(told(after(all, ['a', 'completed'], ['b', 'completed']))).toBe(
    'It was made: "a" has completed and "b" has completed.',
  )
  const daily = after({ ...all, byPeriod: true }, ['a', 'failed'])
  const parents = closed(daily.parents, () => 'paused')
  expect(joinSentence({ ...daily, parents, state: 'not_made', reason: 'parents' })).toBe(
    'It was not made: "a" failed and "b" is paused.',
  )
  expect(joinSentence({ ...all, state: 'not_made', reason: 'disabled' })).toBe(
    'It was not made: the job is disabled.',
  )
})
