import { expect, test } from 'vitest'
import { newId } from '../../src/app/ids.ts'
import { idOrNone, isId, noId } from '../../src/core/id.ts'

const id = '01981d3a-7c00-7abc-8def-0123456789ab'

test('an id is looked for in lower case, as it is written', () => {
  expect(idOrNone(id)).toBe(id)
  expect(idOrNone(id.toUpperCase())).toBe(id)
})

test('what Evertick makes is an id', () => {
  for (const now of [0, 1, Date.UTC(2027, 0, 4), 2 ** 48 - 1]) expect(newId(now)).toSatisfy(isId)
})

test.each([
  '',
  'nightly',
  `${id} `,
  `\n${id}`,
  `${id}\n`,
  `{${id}}`,
  `urn:uuid:${id}`,
  id.replaceAll('-', ''),
  id.slice(1),
  `${id}0`,
  id.replace('7', 'g'),
  id.replace('0', '０'),
])('%j is none: nothing is found by it', (reference) => {
  expect(isId(reference)).toBe(false)
  expect(idOrNone(reference)).toBe(noId)
})
