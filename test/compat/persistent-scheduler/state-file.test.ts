/** The state on a real disk: a process may die at any step of a save, and a disk may refuse anything. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { diskFiles, type Files } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import type { SavedState } from '../../../src/compat/persistent-scheduler/saved-state.ts'
import { StateFile } from '../../../src/compat/persistent-scheduler/state-file.ts'
import { Child, endChildren } from '../../process/child.ts'
import { until } from '../../process/until.ts'

afterEach(endChildren)

const now = Date.parse('2026-01-01T00:00:00Z')

function stateOf(count: number): SavedState {
  const job = { name: 'a', schedule: '* * * * *', enabled: true, catchUp: true, maxMissedRuns: 5 }
  const timestamp = new Date(now + count).toISOString()
  return { timestamp, jobs: [{ ...job, currentRunCount: count, lastRun: null, nextRun: null }] }
}

function temporary(): { path: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, path: join(folder, 'state.json') }
}

function open(path: string, files: Files = diskFiles): { file: StateFile; said: string[] } {
  const said: string[] = []
  const log = (message: string) => void said.push(message)
  return { file: new StateFile(path, files, { debug: log, info: log, warn: log, error: log }), said }
}

async function countIn(path: string): Promise<number | undefined> {
  return (await open(path).file.load(now))?.jobs[0]?.currentRunCount
}

/** A disk that is cut off after so many steps; `steps` says how many there were. */
function dyingAfter(alive: number): { files: Files; steps: string[] } {
  const steps: string[] = []
  const files = new Proxy(diskFiles, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      return async (...given: unknown[]) => {
        // Reading is not part of a save.
        if (name !== 'read') {
          if (steps.length >= alive) throw new Error('cut off')
          steps.push(String(name))
        }
        return await (member as (...args: unknown[]) => Promise<unknown>)(...given)
      }
    },
  })
  return { files, steps }
}

test('what was saved is loaded, and the save before it is kept as the copy', async () => {
  const { path } = temporary()
  const { file, said } = open(path)
  expect(await file.load(now)).toBeNull()
  await file.save(stateOf(1))
  await file.save(stateOf(2))
  expect(await countIn(path)).toBe(2)
  expect(await countIn(file.copyPath)).toBe(1)
  expect(said).toEqual([])
})

test('a process that dies at any step of a save leaves the old state or the new one, whole', async () => {
  const { steps: all } = await stepsOfSave(Number.POSITIVE_INFINITY)
  expect(all).toEqual(['makeFolder', 'write', 'keep', 'rename', 'syncFolder'])
  for (let alive = 0; alive < all.length; alive += 1) {
    const { path, error } = await stepsOfSave(alive)
    expect(error).toBe('cut off')
    const renamed = alive > all.indexOf('rename')
    expect({ alive, count: await countIn(path) }).toEqual({ alive, count: renamed ? 3 : 2 })
    // The next process saves as if nothing had happened.
    const { file } = open(path)
    await file.load(now)
    await file.save(stateOf(4))
    expect(await countIn(path)).toBe(4)
  }
})

async function stepsOfSave(alive: number): Promise<{ path: string; steps: string[]; error: string }> {
  const { path } = temporary()
  const before = open(path).file
  await before.save(stateOf(1))
  await before.save(stateOf(2))
  const { files, steps } = dyingAfter(alive)
  const { file } = open(path, files)
  await file.load(now)
  let error = ''
  await file.save(stateOf(3)).catch((thrown: Error) => {
    error = thrown.message
  })
  return { path, steps, error }
}

test('a process killed at any moment, eight times: the file is whole, and never goes back', async () => {
  const { path } = temporary()
  let last = -1
  for (let round = 0; round < 8; round += 1) {
    const child = new Child('../compat/persistent-scheduler/saving-process.ts', { path })
    const target = 1 + round * 3
    await until('some saves', () => child.all('saved').length >= target || !child.running)
    child.send('SIGKILL')
    await child.exited
    const saved = child.all('saved').at(-1)?.count as number
    const { file, said } = open(path)
    const found = (await file.load(now))?.jobs[0]?.currentRunCount ?? -1
    expect(found).toBeGreaterThanOrEqual(saved)
    expect(found).toBeGreaterThan(last)
    expect(said).toEqual([])
    last = found
  }
})

test('a damaged file is kept aside by the next save, and the copy is used meanwhile', async () => {
  const { path, folder } = temporary()
  const first = open(path).file
  await first.save(stateOf(1))
  await first.load(now)
  await first.save(stateOf(2))
  writeFileSync(path, 'not what it was')
  for (const _ of [1, 2]) {
    const { file, said } = open(path)
    expect((await file.load(now))?.jobs[0]?.currentRunCount).toBe(1)
    expect(said.join()).toContain('is damaged: it is not valid JSON')
  }
  const { file } = open(path)
  await file.load(now)
  await file.save(stateOf(3))
  expect(readFileSync(join(folder, 'state.json.damaged-2026-01-01T00-00-00-000Z'), 'utf8')).toBe(
    'not what it was',
  )
  expect(await countIn(path)).toBe(3)
  expect(await countIn(`${path}.bak`)).toBe(1)
})

test('a removed file is a new beginning, and its copy is named', async () => {
  const { path } = temporary()
  const { file } = open(path)
  await file.save(stateOf(1))
  await file.load(now)
  await file.save(stateOf(2))
  rmSync(path)
  const { file: next, said } = open(path)
  expect(await next.load(now)).toBeNull()
  expect(said.join()).toContain(`A copy of ${stateOf(1).timestamp} is in ${path}.bak`)
})

test('another version is refused, and left untouched', async () => {
  const { path, folder } = temporary()
  writeFileSync(path, '{"version":"2.0"}')
  await expect(open(path).file.load(now)).rejects.toMatchObject({ code: 'state_file_newer' })
  expect(readFileSync(path, 'utf8')).toBe('{"version":"2.0"}')
  expect(readdirSync(folder)).toEqual(['state.json'])
})

test('a folder in its place is refused', async () => {
  const { path } = temporary()
  mkdirSync(path)
  await expect(open(path).file.load(now)).rejects.toMatchObject({ code: 'invalid_config' })
})

test('a file that cannot be read is never overwritten: it is kept aside', async () => {
  const { path, folder } = temporary()
  await open(path).file.save(stateOf(1))
  const files = { ...diskFiles, read: (from: string) => refusing(from, path) }
  const { file, said } = open(path, files)
  expect(await file.load(now)).toBeNull()
  expect(said.join()).toContain('cannot be read (EACCES)')
  await file.save(stateOf(9))
  const aside = readdirSync(folder).find((name) => name.includes('damaged')) ?? ''
  expect(await countIn(join(folder, aside))).toBe(1)
})

async function refusing(from: string, path: string): Promise<string | null> {
  if (from !== path) return await diskFiles.read(from)
  throw Object.assign(new Error('no'), { code: 'EACCES' })
}

test('where nothing stands, nothing is kept', async () => {
  const { path } = temporary()
  await diskFiles.keep(path, `${path}.bak`)
  await diskFiles.keep(join(path, 'deeper'), `${path}.bak`)
  expect(existsSync(`${path}.bak`)).toBe(false)
  await diskFiles.write(path, 'text')
  await diskFiles.keep(path, `${path}.bak`)
  expect(readFileSync(`${path}.bak`, 'utf8')).toBe('text')
})

test.skipIf(process.getuid?.() === 0)(
  'a folder that cannot be written: the save fails, and works once it can',
  async () => {
    const { path, folder } = temporary()
    chmodSync(folder, 0o500)
    const { file } = open(path)
    await expect(file.save(stateOf(1))).rejects.toMatchObject({ code: 'EACCES' })
    chmodSync(folder, 0o700)
    await file.save(stateOf(1))
    expect(await countIn(path)).toBe(1)
  },
)
