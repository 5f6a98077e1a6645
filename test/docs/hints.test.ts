/** Errors name pages: each is in the package that their reader has. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mustRun, root } from '../../scripts/run-command.ts'

test('each page that a message names is in the package', async () => {
  const sources = globSync('src/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'))
  const named = new Set(sources.flatMap((text) => text.match(/\bdocs\/[\w/-]+\.md/g) ?? []))
  expect(named.size).toBeGreaterThan(2)
  const listed = await mustRun('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'])
  const packed = (JSON.parse(listed.slice(listed.indexOf('['))) as { files: { path: string }[] }[])[0]
  const paths = new Set(packed?.files.map(({ path }) => path))
  expect([...named].filter((page) => !paths.has(page))).toEqual([])
}, 60_000)
