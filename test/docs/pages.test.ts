/** Every page can be found by somebody who starts at the README. (Dead links are the architecture check's.) */
import { globSync } from 'node:fs'
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { pages, readPage } from './markdown.ts'

function linked(page: string): string[] {
  return [...readPage(page).matchAll(/\]\(([^)\s#]+\.md)(?:#[^)]*)?\)/g)]
    .map((hit) => hit[1] ?? '')
    .filter((link) => !/^[a-z]+:/i.test(link))
    .map((link) => posix.join(posix.dirname(page), link))
}

test('every page of docs is reached from the README', () => {
  const reached = new Set(['README.md'])
  const known = new Set(pages())
  for (const page of reached) {
    for (const link of linked(page)) if (known.has(link)) reached.add(link)
  }
  expect(pages().filter((page) => !reached.has(page))).toEqual([])
})

test('the index lists every decision', () => {
  const files = globSync('docs/decisions/[0-9]*.md', { cwd: root }).toSorted()
  expect(linked('docs/decisions/README.md')).toEqual(files)
})

test('the README has one place that says what is still to come', () => {
  const places = readPage('README.md').split('on the roadmap').length - 1
  expect(places).toBe(1)
})
