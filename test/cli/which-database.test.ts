import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { inProcess } from './in-process.ts'
import { containing, startCli, testFolder } from './run-cli.ts'

const config = "export default { database: 'sqlite:file.db', jobs: [] }"

test('migrate and doctor say which database they work on, and what named it', async () => {
  const cwd = testFolder({ 'evertick.config.mjs': config })
  const words = `sqlite:${cwd}/app.db (from DATABASE_URL)`
  const at = { cwd, env: { DATABASE_URL: `sqlite:${cwd}/app.db` } }
  for (const action of ['plan', 'up', 'status', 'down --yes'])
    expect(await inProcess(['migrate', ...action.split(' ')], at)).toMatchObject({
      code: 0,
      stderr: containing(words),
    })
  await inProcess(['migrate', 'up'], at)
  expect((await inProcess(['doctor'], at)).stdout).toContain(`${words} answers.`)
})

test('a file may hold the URL, and is what named it', async () => {
  const cwd = testFolder({ url: 'sqlite:app.db\n' })
  const at = { cwd, env: { EVERTICK_DATABASE_URL_FILE: `${cwd}/url` } }
  const up = await inProcess(['migrate', 'up'], at)
  expect(up).toMatchObject({ code: 0, stderr: containing('sqlite:app.db (from EVERTICK_DATABASE_URL_FILE)') })
})

test('start says which database it works on, and what named it', async () => {
  const cwd = testFolder({ 'evertick.config.mjs': config })
  const node = startCli(['start', '--role', 'worker'], { cwd })
  await node.says('runs ')
  expect(node.stdout).toMatch(/^ +data +file\.db \(from .*evertick\.config\.mjs\)$/m)
})

test('half of MYSQL_DB_* is an error, but not where a flag or a URL names the database', async () => {
  const cwd = testFolder()
  const env = { MYSQL_DB_HOST: 'db.internal' }
  expect(await inProcess(['migrate', 'up'], { cwd, env })).toMatchObject({
    code: 2,
    stderr: containing('MYSQL_DB_NAME'),
  })
  expect(readdirSync(cwd)).toEqual([])
  const flag = await inProcess(['migrate', 'plan', '--database', 'sqlite:a.db'], { cwd, env })
  expect(flag.code).toBe(0)
  const url = await inProcess(['migrate', 'plan'], { cwd, env: { ...env, DATABASE_URL: 'sqlite:a.db' } })
  expect(url.code).toBe(0)
})

test('sqlite://name is refused with the right spelling: by the library, a flag and the configuration', async () => {
  const refused = { code: 'unsupported_database', field: 'database', next: containing('sqlite:name.db') }
  await expect(Evertick.open({ database: 'sqlite://name.db' })).rejects.toMatchObject(refused)
  await expect(Evertick.open({ database: 'sqlite://' })).rejects.toMatchObject({ code: refused.code })
  const cwd = testFolder({ 'evertick.config.mjs': "export default { database: 'sqlite://name.db' }" })
  const said = { code: 2, stderr: containing('Write sqlite:name.db') }
  for (const command of [['migrate', 'up'], ['start'], ['jobs', 'list']]) {
    expect(await inProcess(command, { cwd, env: {} })).toMatchObject(said)
    const flag = [...command, '--database', 'sqlite://name.db']
    expect(await inProcess(flag, { cwd: testFolder(), env: {} })).toMatchObject(said)
  }
  expect(await inProcess(['doctor'], { cwd, env: {} })).toMatchObject(said)
  const three = await inProcess(['migrate', 'up', '--database', `sqlite://${cwd}/name.db`], { cwd, env: {} })
  expect(three.code).toBe(0)
  expect(readdirSync(cwd)).toContain('name.db')
})
