/** Runs an example by the command of its own README, to its end; returns what it has printed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'

export async function runExample(folder: string, ...more: string[]): Promise<string> {
  const readme = readFileSync(join(root, 'examples', folder, 'README.md'), 'utf8')
  // `npx node` is the Node of this repository, where the machine's own is too old.
  const file = /^npx node (examples\/\S+\.ts)$/m.exec(readme)?.[1] ?? ''
  const args = ['--disable-warning=ExperimentalWarning', join(root, file), ...more]
  const { ok, stdout, text } = await runCommand(process.execPath, args, { cwd: root, timeoutMs: 60_000 })
  expect(ok ? 'ended well' : text).toBe('ended well')
  return stdout
}
