/** What is published beside the code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('how to report a hole ships with the package', () => {
  const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  expect((JSON.parse(text) as { files: string[] }).files).toContain('SECURITY.md')
})
