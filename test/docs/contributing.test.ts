/** The lists of CONTRIBUTING name the files that a change needs: all of them, and no others. */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'
import { names, productFilesNaming } from '../api/product-files.ts'
import { readPage } from './markdown.ts'

/** Each list with its example, by the names under which code knows it. */
const lists: readonly (readonly [heading: string, example: RegExp])[] = [
  ['### Add an option of a job', /startDeadline|start_deadline|start-deadline/],
  ['### Add a policy', /buffer_one/],
  ['### Add a route', /queues\/(?:\{name\}|default)\/pause|queues\.pause/],
  ['### Add a verb of the store', /pauseQueue/],
  ['### Add a screen', /screens\/audit\/|name: 'audit'/],
  ['### Add an engine', /postgres/],
]

const page = readPage('CONTRIBUTING.md')

/** The files, folders and globs that the numbered items below a heading name, in order. */
function placesBelow(heading: string): string[] {
  const section = page.split(`\n${heading}\n`)[1]?.split(/\n#/)[0] ?? ''
  const items = section.match(/^\d+\. .*(?:\n {3}.*)*/gm) ?? []
  return items.flatMap((item) =>
    [...item.matchAll(/\]\(([^)]+)\)|`([\w./-]+\/\{[^`]+)`/g)].map(([, link, glob]) => link ?? glob ?? ''),
  )
}

function filesAt(place: string): string[] {
  const found = globSync([place, `${place}/**/*`], { cwd: root })
  return found.filter((path) => statSync(join(root, path)).isFile())
}

test('every list that CONTRIBUTING has is looked at', () => {
  const headings = page.match(/^### Add an? .*$/gm)
  expect(headings).toEqual(lists.map(([heading]) => heading))
})

describe.each(lists)('%s', (heading, example) => {
  const places = placesBelow(heading)

  test('names places that are there', () => {
    expect(places.length).toBeGreaterThan(3)
    expect(places.filter((place) => filesAt(place).length === 0)).toEqual([])
  })

  test('names no place that knows nothing of its example', () => {
    expect(places.filter((place) => !filesAt(place).some((file) => names(file, example)))).toEqual([])
  })

  test('leaves out no file of the product that knows its example', () => {
    const named = new Set(places.flatMap(filesAt))
    expect(productFilesNaming(example).filter((file) => !named.has(file))).toEqual([])
  })
})
