import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Evertick } from '../../src/index.ts'
import { expectQuiet, Scene } from './scene.ts'

let scene: Scene
beforeEach(() => {
  scene = new Scene()
})
afterEach(async () => await scene.close())

/** A database of ours with a few hundred pages, closed. */
async function aDatabase(): Promise<void> {
  const evertick = await Evertick.open({ database: scene.url })
  await evertick.jobs.create({ name: 'paper', handler: 'paper' })
  await evertick.enqueueMany(
    Array.from({ length: 300 }, () => ({ job: 'paper', input: { text: 'x'.repeat(2_000) } })),
  )
  await evertick.stop()
}

async function expectRefused(code: string): Promise<void> {
  const node = scene.start('open-node.ts')
  expect(await node.exited).toEqual({ code: 3, signal: null })
  expect(node.said).toMatchObject([{ say: 'refused', code }])
  const [refused] = node.said
  expect(refused?.message).toContain(scene.file)
  expect(refused?.next).toMatch(/\.$/)
  expectQuiet([node])
}

test('what is no database is refused by its code, and left as it was', async () => {
  const letter = 'Dear Sir or Madam, this is a letter and not a database. '.repeat(200)
  writeFileSync(scene.file, letter)
  await expectRefused('database_foreign')
  expect(readFileSync(scene.file, 'utf8')).toBe(letter)
})

test('a file with torn pages is refused by its code, and left as it was', async () => {
  await aDatabase()
  const torn = readFileSync(scene.file)
  torn.fill(0xa5, 4_096, 40_960)
  writeFileSync(scene.file, torn)
  await expectRefused('database_damaged')
  expect(readFileSync(scene.file).equals(torn)).toBe(true)
})

test('a file cut short is refused by its code', async () => {
  await aDatabase()
  truncateSync(scene.file, 8_192)
  await expectRefused('database_damaged')
})

test('a folder in the place of the file is refused by its code', async () => {
  mkdirSync(scene.file)
  await expectRefused('database_missing')
})

test.skipIf(process.getuid?.() === 0)('a file that may not be written is refused by its code', async () => {
  await aDatabase()
  chmodSync(scene.file, 0o444)
  chmodSync(scene.folder, 0o555)
  try {
    await expectRefused('database_missing')
  } finally {
    chmodSync(scene.folder, 0o755)
  }
})

test('somebody else’s tables of the same name are refused by a code, and nothing is changed', async () => {
  const foreign = new DatabaseSync(scene.file)
  foreign.exec('CREATE TABLE evertick_jobs (mine TEXT)')
  foreign.close()
  const node = scene.start('open-node.ts')
  expect(await node.exited).toEqual({ code: 3, signal: null })
  expect(node.said).toMatchObject([{ say: 'refused', code: 'migration_failed' }])
  expect(scene.rows('SELECT name FROM sqlite_master')).toEqual([{ name: 'evertick_jobs' }])
})
