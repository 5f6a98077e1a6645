/** docs/reliability.md says what the simulation checks and has caught: its tables are compared with the code's. */
import { expect, test } from 'vitest'
import { rules } from '../simulation/check/rules.ts'
import { plantedBugs } from '../simulation/planted/bugs.ts'
import { readCatches } from '../simulation/planted/catches.ts'
import { readPage, tableAfter } from './markdown.ts'

const page = readPage('docs/reliability.md')

test('it lists every rule with its meaning', () => {
  const rows = tableAfter(page, '## The rules')
  const plain = Object.entries(rules).map(([rule, means]) => [rule, means.replaceAll('`', '')])
  expect(rows.map(([, rule, means]) => [rule, means])).toEqual(plain)
})

test('it lists every planted bug with the seed and the rule that catch it', () => {
  const catches = new Map(readCatches().map(({ bug, seed, rule }) => [bug, { seed, rule }]))
  const rows = tableAfter(page, '## Planted bugs')
  const written = rows.map(([bug = '', says, seed, rule]) => ({ bug, says, seed: Number(seed), rule }))
  expect(written).toEqual(plantedBugs.map(({ name, says }) => ({ bug: name, says, ...catches.get(name) })))
})
