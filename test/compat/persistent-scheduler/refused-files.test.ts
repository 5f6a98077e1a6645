/** What stands under the state file's name and is not a regular file is refused, and stays what it is. */
import { spawnSync } from 'node:child_process'
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diskFiles } from '../../../src/compat/persistent-scheduler/disk-files.ts'
import { PersistentScheduler } from '../../../src/index.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'evertick-refused-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function listenOn(path: string): Promise<void> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(path, resolve))
  onTestFinished(() => void server.close())
}

/** A device of its own, where this user may make one: the system's must not be at risk if this fails. */
async function makeDevice(path: string): Promise<void> {
  if (process.getuid?.() === 0) spawnSync('mknod', [path, 'c', '1', '3'])
  else symlinkSync('/dev/null', path)
}

test.each([
  ['a folder', async (path: string) => mkdirSync(path)],
  ['a FIFO', async (path: string) => void spawnSync('mkfifo', [path])],
  ['a socket', listenOn],
  ['a device', makeDevice],
  ['a link to a folder', async (path: string) => symlinkSync('.', path), 'a folder'],
  ['a link to a device', async (path: string) => symlinkSync('/dev/null', path), 'a device'],
])('%s is refused and never moved or replaced', async (_, make, kind = _) => {
  const folder = temporary()
  const stateFile = join(folder, 'state.json')
  await make(stateFile)
  const before = lstatSync(stateFile)
  const scheduler = new PersistentScheduler({ stateFile, logger: quiet })
  await expect(scheduler.initialize()).rejects.toMatchObject({ code: 'invalid_config', field: 'stateFile' })
  await expect(scheduler.initialize()).rejects.toThrow(
    `state.json is ${kind}: the state needs a regular file`,
  )
  await expect(
    scheduler.schedule({ name: 'a', schedule: '* * * * *', task: () => {} }),
  ).rejects.toMatchObject({ code: 'invalid_config' })
  await scheduler.shutdown()
  expect(lstatSync(stateFile)).toMatchObject({ ino: before.ino, mode: before.mode, rdev: before.rdev })
  expect(readdirSync(folder)).toEqual(['state.json'])
})

test('one that takes the file’s place while the scheduler runs is not replaced either', async () => {
  const folder = temporary()
  const stateFile = join(folder, 'state.json')
  const said: unknown[] = []
  const error = (_: string, details: { error?: unknown } = {}) => void said.push(details.error)
  const scheduler = new PersistentScheduler({ stateFile, logger: { ...quiet, error } })
  await scheduler.schedule({ name: 'a', schedule: '0 0 1 1 *', task: () => {} })
  rmSync(stateFile)
  spawnSync('mkfifo', [stateFile])
  await scheduler.save()
  await scheduler.shutdown()
  expect(lstatSync(stateFile).isFIFO()).toBe(true)
  expect(said[0]).toMatchObject({ code: 'invalid_config' })
})

test.each(['.bak', '.tmp', '.lock'])('a FIFO in the place of %s blocks nobody', async (ending) => {
  const folder = temporary()
  const path = join(folder, `state.json${ending}`)
  spawnSync('mkfifo', [path])
  await expect(diskFiles.read(path)).rejects.toMatchObject({ code: 'invalid_config' })
  await expect(diskFiles.write(path, '')).rejects.toMatchObject({ code: 'invalid_config' })
  await diskFiles.write(join(folder, 'other'), '')
  await expect(diskFiles.keep(join(folder, 'other'), path)).rejects.toMatchObject({ code: 'invalid_config' })
  expect(lstatSync(path).isFIFO()).toBe(true)
})
