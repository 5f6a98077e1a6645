/** A word of the database that is not in its list fails where it is read. */
import { expect, it } from 'vitest'
import { causes } from '../../src/core/execution/execution.ts'
import { causeOf, executionStateOf, text } from '../../src/store/sql/runtime/rows.ts'

it('reads every word of its list', () => {
  expect(causes.map(causeOf)).toEqual(causes)
})

it('refuses a word that is not in its list, null, and a column that was not read', () => {
  expect(() => causeOf('weather')).toThrow('"weather" is not a known cause of an execution.')
  expect(() => executionStateOf(null)).toThrow('"null" is not a known state of an execution.')
  expect(() => executionStateOf(undefined)).toThrow('The row has no such column.')
  expect(() => text(undefined)).toThrow('The row has no such column.')
})
