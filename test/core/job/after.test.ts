/** What a job comes after is an object, or a short text that means the same. */
import { expect, test } from 'vitest'
import { afterForm, parentsText } from '../../../src/core/job/after.ts'

test.each([
  ['import', { job: 'import', on: 'success' }],
  ['import:failure', { job: 'import', on: 'failure' }],
  [' import:any ', { job: 'import', on: 'any' }],
  // A name may have a colon, and end in such a word.
  ['eu:import', { job: 'eu:import', on: 'success' }],
  ['eu:any:success', { job: 'eu:any', on: 'success' }],
] as const)('"%s" is read, and written so that it is read again', (text, parent) => {
  expect(afterForm.stored(text, 'after.0')).toEqual(parent)
  expect(afterForm.stored(afterForm.text(parent), 'after.0')).toEqual(parent)
  expect(afterForm.stored(parent, 'after.0')).toEqual(parent)
})

test('a success is what is meant where nothing is said', () => {
  expect(afterForm.stored({ job: 'import' }, 'after.0')).toEqual({ job: 'import', on: 'success' })
  expect(afterForm.text({ job: 'import' })).toBe('import')
})

test('what it comes after is a sentence', () => {
  const parents = [{ job: 'a' }, { job: 'b', on: 'failure' }, { job: 'c', on: 'any' }] as const
  expect(parentsText(parents, 'and')).toBe('"a" succeeds, "b" fails and "c" has ended')
  expect(parentsText(parents.slice(0, 1), 'and')).toBe('"a" succeeds')
})
