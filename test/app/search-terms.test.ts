import { expect, test } from 'vitest'
import { parseSearch } from '../../src/app/search-terms.ts'

const names = ['state', 'tag']

test('names, quotes and plain words are told apart', () => {
  const { named, words } = parseSearch('state:paused night  tag:"two words" report', names)
  expect([...named]).toEqual([
    ['state', 'paused'],
    ['tag', 'two words'],
  ])
  expect(words).toBe('night report')
  expect(parseSearch('', names)).toEqual({ named: new Map(), words: '' })
  expect(parseSearch('"a:b" 12', names).words).toBe('a:b 12')
})

test('a name that is not known, or comes twice, is refused with what was meant', () => {
  expect(() => parseSearch('stat:paused', names)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field: 'filter', next: 'Did you mean "state:"?' }),
  )
  expect(() => parseSearch('tag:a tag:b', names)).toThrow(expect.objectContaining({ field: 'filter' }))
})
