/** What Evertick makes on a disk is for its owner alone, whatever the umask; what somebody else has put there is not believed. */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownSecret } from '../../src/app/access/own-secret.ts'
import { makeDataFolder } from '../../src/store/private-files.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'evertick-private-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const source = join(import.meta.dirname, '../../src')

/** Makes everything that the library makes, under the widest umask. */
const script = `
import { Evertick, PersistentScheduler } from '${source}/index.ts'
import { ownSecret } from '${source}/app/access/own-secret.ts'
import { makeDataFolder } from '${source}/store/private-files.ts'
process.umask(0)
makeDataFolder('data/inner')
const database = 'sqlite:data/inner/evertick.db'
ownSecret(database)
const evertick = await Evertick.open({ database, jobs: [] })
await evertick.jobs.create({ name: 'a' })
const scheduler = new PersistentScheduler({ stateFile: 'state/inner/state.json' })
await scheduler.initialize()
await scheduler.save()
console.log('made')
// The log of the database is there only while it is open.
process.exit()
`

test('files are 0600 and folders 0700, and what was there keeps its rights', () => {
  const cwd = folder()
  chmodSync(cwd, 0o755)
  const args = ['--no-warnings', '--input-type=module-typescript', '-e', script]
  const ran = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
  expect([ran.stdout, ran.stderr]).toEqual([expect.stringContaining('made'), expect.any(String)])
  expect(modeOf(cwd)).toBe('755')
  const made = readdirSync(cwd, { recursive: true, withFileTypes: true })
  const modes = made.map((entry) => [entry.name, modeOf(join(entry.parentPath, entry.name))])
  expect(modes).toEqual(made.map((entry) => [entry.name, entry.isDirectory() ? '700' : '600']))
  const names = made.map(({ name }) => name)
  expect(names).toEqual(
    expect.arrayContaining(['data', 'inner', 'evertick.db', 'evertick.db-wal', 'jwt-secret', 'state.json']),
  )
})

const isRoot = process.getuid?.() === 0

/** Another user's files can be made by root only, and root itself may read everything. */
test.runIf(isRoot)('a secret or a data folder of another user is refused', () => {
  const path = folder()
  const data = join(path, 'data')
  mkdirSync(data, { mode: 0o777 })
  const secret = join(path, 'jwt-secret')
  writeFileSync(secret, 'x'.repeat(64), { mode: 0o600 })
  chownSync(secret, 12_345, 12_345)
  chownSync(data, 12_345, 12_345)
  expect(ownSecret(`sqlite:${join(path, 'a.db')}`)).toEqual(['x'.repeat(64)])
  const { getuid } = process
  onTestFinished(() => {
    process.getuid = getuid as () => number
  })
  process.getuid = () => 54_321
  expect(() => ownSecret(`sqlite:${join(path, 'a.db')}`)).toThrow('belongs to another user')
  expect(() => makeDataFolder(data)).toThrow('belongs to another user')
})
