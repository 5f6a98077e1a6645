import { expect, test } from 'vitest'
import { sortAfterClick, sortOf, withTag } from '../../dashboard/src/screens/jobs/job-search.ts'

test('a tag joins the search once, in quotes where it needs them', () => {
  expect(withTag('', 'billing')).toBe('tag:billing')
  expect(withTag('last:failed tag:billing', 'billing')).toBe('last:failed tag:billing')
  expect(withTag('nightly', 'two words')).toBe('nightly tag:"two words"')
})

test('a column is sorted its useful way round first, then the other', () => {
  expect(sortAfterClick('name', 'name')).toBe('-name')
  expect(sortAfterClick('-name', 'name')).toBe('name')
  expect(sortAfterClick('name', 'lastRunAt')).toBe('-lastRunAt')
  expect(sortAfterClick('-lastRunAt', 'lastRunAt')).toBe('lastRunAt')
})

test('an address that asks for no known order gets the usual one', () => {
  for (const odd of [undefined, 'colour', '-', 'toString', ['name']]) expect(sortOf(odd)).toBe('name')
  expect(sortOf('-nextRunAt')).toBe('-nextRunAt')
})
