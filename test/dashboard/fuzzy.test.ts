import { expect, test } from 'vitest'
import { matching, scoreOf } from '../../dashboard/src/shell/fuzzy.ts'

const names = (all: readonly string[], wanted: string) => matching(all, wanted, (name) => name)

test('what is typed must be there, letter by letter and in order', () => {
  expect(scoreOf('nightly-report', 'nrep')).not.toBe(null)
  expect(scoreOf('nightly-report', 'pern')).toBe(null)
  expect(scoreOf('Audit log', 'adl g')).not.toBe(null)
})

test('a whole word comes before its letters, and a beginning before a middle', () => {
  expect(names(['database.uploads', 'backup-base', 'base', 'b.a.s.e'], 'base')).toEqual([
    'base',
    'backup-base',
    'database.uploads',
    'b.a.s.e',
  ])
  expect(names(['Dark theme', 'Calendar', 'Audit log'], 'da')).toEqual(['Dark theme', 'Calendar'])
})

test('with nothing typed all stay in their own order', () => {
  expect(names(['b', 'a', 'c'], '')).toEqual(['b', 'a', 'c'])
})
