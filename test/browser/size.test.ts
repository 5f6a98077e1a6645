/** What a browser loads before it shows the overview for the first time stays small. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { root } from '../../scripts/run-command.ts'

const built = join(root, 'dist', 'dashboard')
const most = 150_000

/** The scripts that these name, and those that they import in turn. */
function loadedBy(text: string, loaded = new Set<string>()): Set<string> {
  for (const [, name = ''] of text.matchAll(/(?:src="|href="|from\s*"|import\s*")[^"]*?([\w.-]+\.js)"/g)) {
    if (loaded.has(name)) continue
    loaded.add(name)
    loadedBy(readFileSync(join(built, 'assets', name), 'utf8'), loaded)
  }
  return loaded
}

test('the scripts of the first load have less than 150 kB, gzipped', () => {
  const overview = readdirSync(join(built, 'assets')).filter((name) => /^Overview-.*\.js$/.test(name))
  expect(overview).toHaveLength(1)
  const loaded = loadedBy(readFileSync(join(built, 'index.html'), 'utf8'))
  loadedBy(`import"${overview[0]}"`, loaded)
  expect(loaded.size).toBeGreaterThan(1)
  const bytes = [...loaded].map((name) => gzipSync(readFileSync(join(built, 'assets', name))).length)
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(most)
})
