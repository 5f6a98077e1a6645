/** The lists by which MariaDB writes a batch: a row's own value is that of the last key which is not above its own. */
import { expect, test } from 'vitest'
import { inOrder, valuesOf } from '../../src/store/mysql/held-rows.ts'

const claimed = [
  { seq: 9, place: 1, fence: 1 },
  { seq: 4, place: 2, fence: 1 },
  { seq: 7, place: null, fence: 2 },
  { seq: 8, place: null, fence: 1 },
]

test('values follow the order of the keys, whatever the order of the claim', () => {
  expect(valuesOf(inOrder(claimed), ({ fence }) => fence)).toEqual([
    [4, 7, 8],
    [1, 2, 1],
  ])
})

test('rows in a run that agree share one value, null as well', () => {
  expect(valuesOf(inOrder(claimed), ({ place }) => place)).toEqual([
    [4, 7, 9],
    [2, null, 1],
  ])
  expect(valuesOf(inOrder(claimed), () => null)).toEqual([[4], [null]])
})
