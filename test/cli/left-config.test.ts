/** A configuration that lies in the folder is code: whoever asks a server from there does not run it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, testFolder } from './run-cli.ts'

const left = `import { writeFileSync } from 'node:fs'
writeFileSync('ran', '')
export default { timezone: 'UTC' }
`
const nobody = 'http://127.0.0.1:9'

test.each([
  ['--url', ['jobs', 'list', '--url', nobody, '--token', 'x'], {}],
  ['EVERTICK_URL', ['jobs', 'list'], { EVERTICK_URL: nobody, EVERTICK_TOKEN: 'x' }],
  ['doctor', ['doctor'], { EVERTICK_URL: nobody, EVERTICK_TOKEN: 'x' }],
] as const)('by %s', async (_how, args, env) => {
  const folder = testFolder({ 'evertick.config.mjs': left })
  await runCli([...args], { cwd: folder, env })
  expect(existsSync(join(folder, 'ran'))).toBe(false)
})

test('one that is named is run, and so is that of a node, whatever server the environment names', async () => {
  const named = testFolder({ 'evertick.config.mjs': left })
  const args = ['jobs', 'list', '--url', nobody, '--token', 'x', '--config', 'evertick.config.mjs']
  await runCli(args, { cwd: named })
  expect(existsSync(join(named, 'ran'))).toBe(true)
  const migrated = testFolder({ 'evertick.config.mjs': left })
  await runCli(['migrate', 'status'], { cwd: migrated, env: { EVERTICK_URL: nobody, EVERTICK_TOKEN: 'x' } })
  expect(existsSync(join(migrated, 'ran'))).toBe(true)
})
