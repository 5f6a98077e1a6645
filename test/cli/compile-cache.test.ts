/** Compiled code is kept where only its user can write: else another user of the machine could run code as them. */
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli, testFolder } from './run-cli.ts'

/** The version of one command, in a home and with a temporary folder of the test's own. */
async function ran(home: string, more: Record<string, string> = {}) {
  const shared = testFolder()
  const env = { HOME: home, TMPDIR: shared, ...more }
  const { code, stdout } = await runCli(['--version'], { cwd: home, env })
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
  expect(readdirSync(shared)).toEqual([])
}

test("it is kept in a 0700 folder of the user's own, and nothing of it in a shared one", async () => {
  const home = testFolder()
  await ran(home)
  const folder = join(home, '.cache', 'evertick')
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(readdirSync(folder)).not.toEqual([])
})

test('XDG_CACHE_HOME says where; a relative one says nothing', async () => {
  const [home, cache] = [testFolder(), testFolder()]
  await ran(home, { XDG_CACHE_HOME: cache })
  expect(readdirSync(join(cache, 'evertick'))).not.toEqual([])
  expect(readdirSync(home)).toEqual([])
  await ran(home, { XDG_CACHE_HOME: 'here' })
  expect(readdirSync(home)).toEqual(['.cache'])
})

test('a home that is not there is not made', async () => {
  const folder = testFolder()
  const home = join(folder, 'nobody')
  const { code } = await runCli(['--version'], { cwd: folder, env: { HOME: home } })
  expect(code).toBe(0)
  expect(existsSync(home)).toBe(false)
})

const isRoot = process.getuid?.() === 0
const someoneElse = 12_345

/** Each makes a home whose cache somebody else could have written; its command then does without. */
const unsafe: Record<string, (home: string) => string> = {
  'a folder that others may write to': (home) => {
    const folder = join(home, '.cache', 'evertick')
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    return folder
  },
  'a link to elsewhere': (home) => {
    const elsewhere = testFolder()
    mkdirSync(join(home, '.cache'))
    symlinkSync(elsewhere, join(home, '.cache', 'evertick'))
    return elsewhere
  },
  'a folder in one that others may write to': (home) => {
    const folder = join(home, '.cache', 'evertick')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(join(home, '.cache'), 0o777)
    return folder
  },
  ...(isRoot && {
    'a folder of somebody else': (home: string) => {
      const folder = join(home, '.cache', 'evertick')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      chownSync(folder, someoneElse, someoneElse)
      return folder
    },
    "somebody else's home, as with `sudo -E`": (home: string) => {
      chownSync(home, someoneElse, someoneElse)
      const folder = join(home, '.cache', 'evertick')
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return folder
    },
  }),
}

test.each(Object.entries(unsafe))('%s is not used', async (_, make) => {
  const home = testFolder()
  const folder = make(home)
  await ran(home)
  expect(readdirSync(folder)).toEqual([])
})
