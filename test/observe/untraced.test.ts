/** Where nobody traces, nothing is loaded; where tracing is asked for and cannot be, that is said. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, runCommand } from '../../scripts/run-command.ts'

/** Tells what is loaded of OpenTelemetry, and does as if it were not installed. */
const app = (options: string) => `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(name, context, next) {
    if (!name.includes('opentelemetry')) return next(name, context)
    console.log('asked for ' + name)
    throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { Evertick, defineJob } = await import('${join(root, 'src/index.ts')}')
const jobs = [defineJob({ name: 'greet', run: () => 'hello' })]
try {
  const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs${options} })
  await evertick.start()
  console.log(await evertick.result((await evertick.enqueue('greet')).id))
  await evertick.stop()
} catch (error) {
  console.log(error.code + ': ' + error.next)
}
`

async function said(options: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-untraced-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'app.ts')
  writeFileSync(file, app(options))
  const { stdout } = await runCommand(process.execPath, ['--no-warnings', file])
  return stdout.trim().split('\n')
}

test('without a provider the package is not asked for', async () => {
  expect(await said('')).toEqual(['hello'])
})

test('where tracing is asked for and the package is missing, the error says what to install', async () => {
  expect(await said(', tracing: true')).toEqual([
    'asked for @opentelemetry/api',
    'driver_missing: Run `npm install @opentelemetry/api`.',
  ])
})
