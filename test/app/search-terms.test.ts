import { expect, test } from 'vitest'
import { parseSearch } from '../../src/app/search-terms.ts'

const names = ['state', 'tag']
const term = (name: string, ...values: string[]) => ({ name, values, negated: false })

test('names, quotes and plain words are told apart', () => {
  const { terms, words } = parseSearch('state:paused night  tag:"two words" report', names)
  expect(terms).toEqual([term('state', 'paused'), term('tag', 'two words')])
  expect(words).toBe('night report')
  expect(parseSearch('', names)).toEqual({ terms: [], words: '' })
  expect(parseSearch('"a:b" 12', names).words).toBe('a:b 12')
})

test('a comma is an or, a minus a not, and a name may come twice', () => {
  expect(parseSearch('-state:paused,error tag:a tag:"b,c",d -x', names)).toEqual({
    terms: [
      { ...term('state', 'paused', 'error'), negated: true },
      term('tag', 'a'),
      term('tag', 'b,c', 'd'),
    ],
    words: '-x',
  })
})

test('a name that is not known is refused with what was meant', () => {
  expect(() => parseSearch('stat:paused', names)).toThrow(
    expect.objectContaining({ code: 'invalid_option', field: 'filter', next: 'Did you mean "state:"?' }),
  )
  expect(() => parseSearch(`tag:${'a,'.repeat(51)}`, names)).toThrow(
    expect.objectContaining({ field: 'filter' }),
  )
})
