import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { containing, errorOf, jsonOf, runCli, testFolder } from './run-cli.ts'

test('an unknown key is refused with the file, the field and what was meant', async () => {
  const cwd = testFolder({
    'evertick.config.mjs': 'export default { database: "sqlite:a.db", timezon: "UTC" }',
  })
  const ended = await runCli(['jobs', 'list', '--json'], { cwd })
  expect(ended.code).toBe(2)
  expect(errorOf(ended)).toMatchObject({
    code: 'invalid_config',
    field: 'timezon',
    message: containing('evertick.config.mjs'),
    next: 'Did you mean "timezone"?',
  })
})

test('a configuration that cannot be loaded says why', async () => {
  const cwd = testFolder({ 'evertick.config.ts': "import './missing.ts'\nexport default {}" })
  const broken = await runCli(['start', '--json'], { cwd })
  expect(errorOf(broken)).toMatchObject({
    code: 'invalid_config',
    message: containing('missing.ts'),
  })
  const none = await runCli(['start', '--config', 'elsewhere.ts', '--json'], { cwd })
  expect(errorOf(none)).toMatchObject({ code: 'invalid_config', field: 'config' })
  const empty = await runCli(['start'], { cwd: testFolder() })
  expect(empty).toMatchObject({ code: 2, stderr: containing('evertick init') })
})

test('flags come before the environment, and the environment before the file', async () => {
  const cwd = testFolder({
    'evertick.config.ts': "export default { database: 'sqlite:file.db', timezone: 'Asia/Tokyo' }",
  })
  const create = ['jobs', 'create', 'daily', '--cron', '0 9 * * *']
  expect(await jsonOf(create, { cwd })).toMatchObject({ timezone: 'Asia/Tokyo' })
  expect(existsSync(join(cwd, 'file.db'))).toBe(true)
  const env = { DATABASE_URL: 'sqlite:app.db', EVERTICK_TIMEZONE: 'Europe/Madrid' }
  expect(await jsonOf(create, { cwd, env })).toMatchObject({ timezone: 'Europe/Madrid' })
  expect(existsSync(join(cwd, 'app.db'))).toBe(true)
  const own = { ...env, EVERTICK_DATABASE_URL: 'sqlite:own.db' }
  await jsonOf(create, { cwd, env: own })
  expect(existsSync(join(cwd, 'own.db'))).toBe(true)
  const flag = [...create, '--database', 'sqlite:flag.db', '--tz', 'UTC']
  expect(await jsonOf(flag, { cwd, env: own })).toMatchObject({ timezone: 'UTC' })
  expect(existsSync(join(cwd, 'flag.db'))).toBe(true)
})

test('init writes what start runs, and overwrites nothing', async () => {
  const cwd = testFolder()
  expect(await jsonOf(['init'], { cwd })).toEqual({ written: ['evertick.config.ts', 'jobs/hello.ts'] })
  const again = await runCli(['init', '--json'], { cwd })
  expect(again.code).toBe(4)
  expect(errorOf(again)).toMatchObject({ code: 'file_exists' })
  const commonJs = testFolder({ 'package.json': '{ "type": "commonjs" }' })
  expect(await jsonOf(['init'], { cwd: commonJs })).toEqual({
    written: ['evertick.config.mjs', 'jobs/hello.mjs'],
  })
  expect(readFileSync(join(commonJs, 'evertick.config.mjs'), 'utf8')).toContain("from './jobs/hello.mjs'")
})

test('a wrong log level is refused with what was meant', async () => {
  const ended = await runCli(['jobs', 'list'], { cwd: testFolder(), env: { EVERTICK_LOG_LEVEL: 'wran' } })
  expect(ended).toMatchObject({ code: 2, stderr: containing('Did you mean "warn"?') })
})
