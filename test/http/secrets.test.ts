/** The secret that signs: made once, kept where only its owner can read it, and never a weak one. */

import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openAccess } from '../../src/app/access/open-access.ts'
import { ownSecret } from '../../src/app/access/own-secret.ts'
import { SigningKeys } from '../../src/app/access/signing-keys.ts'
import { contextOf } from '../../src/app/app-context.ts'
import { apiConfig, refuseOpenDoor } from '../../src/app/config/api-config.ts'
import { openTestNode } from '../../src/testing/index.ts'

let folder: string
let database: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'evertick-secret-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  database = `sqlite:${join(folder, 'evertick.db')}`
  file = join(folder, 'jwt-secret')
})

describe('the secret of a node on SQLite', () => {
  test('is made in a file that only its owner can read, and read from there afterwards', () => {
    const [made] = ownSecret(database)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8').trim()).toBe(made)
    expect(ownSecret(database)).toEqual([made])
    expect(() => new SigningKeys([made ?? ''])).not.toThrow()
  })

  test('is made by one of several processes that start at once; all have the same', async () => {
    const module = new URL('../../src/app/access/own-secret.ts', import.meta.url).href
    const script = `import { ownSecret } from ${JSON.stringify(module)}; console.log(ownSecret(process.argv[1])[0])`
    const run = async () =>
      (
        await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, database])
      ).stdout.trim()
    const all = await Promise.all([run(), run(), run(), run()])
    expect(new Set(all)).toEqual(new Set([readFileSync(file, 'utf8').trim()]))
  })

  test.each([0o644, 0o640, 0o604, 0o660])('is refused where others can read it: %o', (mode) => {
    ownSecret(database)
    chmodSync(file, mode)
    expect(() => ownSecret(database)).toThrow(expect.objectContaining({ code: 'weak_secret' }))
  })

  test('is refused, and not silently made anew, where its file is empty', async () => {
    writeFileSync(file, '', { mode: 0o600 })
    const node = await openTestNode()
    onTestFinished(() => node.stop())
    expect(() => openAccess({ ...contextOf(node.evertick), database }, apiConfig({ secrets: [] }))).toThrow(
      expect.objectContaining({ code: 'weak_secret' }),
    )
  })
})

describe('a secret that is given', () => {
  test.each([
    ['of 31 bytes', 'abcdefghijklmnopqrstuvwxyz01234'],
    ['of one letter', 'a'.repeat(64)],
    ['of a short word', 'secret'.repeat(10)],
  ])('%s is too weak to start with', (_what, weak) => {
    const message = expect.not.stringContaining(weak) as string
    expect(() => new SigningKeys([weak])).toThrow(expect.objectContaining({ code: 'weak_secret', message }))
  })

  test('is needed on a server database: there is no default', () => {
    expect(ownSecret('postgres://127.0.0.1/evertick')).toEqual([])
    expect(() => refuseOpenDoor({ ...apiConfig({ secrets: [] }), provider: null })).toThrow(
      expect.objectContaining({ code: 'invalid_config', field: 'EVERTICK_JWT_SECRET' }),
    )
  })

  test('is changed without locking anybody out: the new one signs, the old one is still believed', async () => {
    const [old, next] = ['an-old-secret-0123456789-abcdefghijk', 'a-new-secret-9876543210-zyxwvutsrqp']
    const node = await openTestNode()
    onTestFinished(() => node.stop())
    const accessOf = (...secrets: string[]) => openAccess(contextOf(node.evertick), apiConfig({ secrets }))
    const { token } = await accessOf(old).createToken({ role: 'viewer' })
    expect(await accessOf(next, old).verify(token)).toMatchObject({ role: 'viewer' })
    expect(await accessOf(next).verify(token)).toBeNull()
    const { token: renewed } = await accessOf(next, old).createToken({ role: 'viewer' })
    expect(await accessOf(next).verify(renewed)).not.toBeNull()
    expect(await accessOf(old).verify(renewed)).toBeNull()
  })
})
