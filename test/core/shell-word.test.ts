import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { alertNext } from '../../src/core/alert/alert-words.ts'
import { shellWord } from '../../src/core/shell-word.ts'

test('what needs no quotes has none', () => {
  expect(['etl/orders', 'a.b:c@d-1', 'k=v'].map(shellWord)).toEqual(['etl/orders', 'a.b:c@d-1', 'k=v'])
})

const hostile = [
  'nightly report',
  '',
  "it's",
  '$(id)',
  '`id`',
  'a;b',
  'a\nb',
  '*',
  '"',
  '\\',
  '-rf',
  'ä',
  '!!',
  '~',
]

test.each(hostile)('a shell takes %j for one word, as it is', (text) => {
  const read = execFileSync('/bin/sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8' })
  expect(read).toBe(text)
})

test('what an alert tells its reader to run has the name as one word', () => {
  expect(alertNext('late', 'nightly report')).toBe("See why: `evertick why 'nightly report'`.")
})
