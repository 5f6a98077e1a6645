import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const pretend = `data:text/javascript,${encodeURIComponent(
  "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })",
)}`
const src = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))
const run = (...args: string[]) =>
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--import', pretend, ...args], {
    encoding: 'utf8',
  })

test('importing the library on an old Node gives a plain sentence', () => {
  const { status, stderr } = run(
    '--input-type=module',
    '--eval',
    `await import(${JSON.stringify(src('index.ts'))})`,
  )
  expect(status).toBe(1)
  expect(stderr).toContain('Error: evertick needs Node 22.18 or later; this is Node 20.19.0.')
})

test('so does the binary', () => {
  const { status, stderr } = run(src('cli/evertick.ts'), '--version')
  expect([status, stderr]).toEqual([1, expect.stringContaining('evertick needs Node 22.18 or later')])
})
