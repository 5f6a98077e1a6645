/** A database that moved: everything is there, and nothing starts where it was. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Movable, type MoveOptions, moveDatabase, takeBack } from '../../src/app/backup/move-database.ts'
import { systemClock } from '../../src/app/cluster/system-clock.ts'
import { defineJob, Evertick, EvertickError } from '../../src/index.ts'
import { openStore } from '../../src/store/open-store.ts'
import { ManualClock } from '../../src/testing/index.ts'
import { quiet } from '../promises/support.ts'
import { node as nodeRow, scriptContext } from '../store/builders.ts'
import { openFilled } from './filled.ts'
import { linesOf } from './lines.ts'
import { comparable, opened, testFolder } from './restored.ts'

const start = Date.parse('2026-03-01T00:00:00Z')

async function movable(url: string, clock = new ManualClock(start)): Promise<Movable> {
  const made = await openStore(url, scriptContext())
  onTestFinished(() => made.store.close())
  return { ...made, url, clock }
}

const options: MoveOptions = {
  actor: 'ann',
  origin: 'here',
  patienceMs: 0,
  onStep: () => {},
  onProgress: () => {},
}

/** A database in use whose nodes have stopped, and its backup. */
async function filled(folder: string) {
  const url = `sqlite:${join(folder, 'old.db')}`
  const node = await openFilled(url)
  await node.stop()
  const evertick = await opened(url)
  const backup = join(folder, 'old.backup')
  await evertick.backup(backup)
  return { url, backup, evertick }
}

test('a move brings every row, and the audits find nothing', async () => {
  const folder = testFolder()
  const { url, backup } = await filled(folder)
  const to = `sqlite:${join(folder, 'new.db')}`
  const result = await moveDatabase(await movable(url), await movable(to), options)
  const evertick = await opened(to)
  await evertick.backup(join(folder, 'new.backup'))
  const isOfMove = (line: string) => line.includes('"database.move')
  const after = comparable(join(folder, 'new.backup')).filter((line) => !isOfMove(line))
  expect(after).toEqual(comparable(backup))
  // One more row, the entry that says so, than before the move.
  expect(result).toMatchObject({ before: false, rows: linesOf(backup).lines.length + 1 })
  expect(await evertick.audit()).toMatchObject({ ok: true })
  expect(await evertick.auditLog.verify()).toMatchObject({ ok: true })
})

test('nothing starts on the old one, nothing that lives can write there, and the refusal says where it is', async () => {
  const folder = testFolder()
  const { url, evertick: alive } = await filled(folder)
  const to = `sqlite:${join(folder, 'new.db')}`
  const old = await movable(url)
  await moveDatabase(old, await movable(to), options)
  const refused = { code: 'database_moved', message: expect.stringContaining(to) as unknown }
  await expect(Evertick.open({ database: url, logger: quiet })).rejects.toMatchObject(refused)
  await expect(old.migrator.up(start)).rejects.toMatchObject(refused)
  await expect(old.migrator.down()).rejects.toMatchObject(refused)
  await expect(alive.enqueue('often')).rejects.toThrow('no such table')
  await expect(alive.jobs.pause('often')).rejects.toThrow('no such table')
  await expect(alive.locks.acquire('free', { ttl: '1m' })).rejects.toThrow('no such table')
})

test('a node that wakes up after the move is told to stop', async () => {
  const folder = testFolder()
  const { url } = await filled(folder)
  const old = await movable(url)
  await old.store.cluster.registerNode(nodeRow('asleep', start - 3_600_000), [])
  await moveDatabase(old, await movable(`sqlite:${join(folder, 'new.db')}`), options)
  const touched = await old.store.cluster.touchNode('asleep', start, 60_000)
  expect(touched.schemaVersion).toBe(1_000_000)
  await old.store.cluster.removeNode('asleep')
})

test('a move waits for the nodes of the old database, and no longer than it was told', async () => {
  const folder = testFolder()
  const { url } = await filled(folder)
  const old = await movable(url)
  const next = await movable(`sqlite:${join(folder, 'new.db')}`)
  await old.store.cluster.registerNode(nodeRow('n1', start), [])
  const clock = {
    ...old.clock,
    now: () => old.clock.now(),
    sleep: async () => (old.clock as ManualClock).moveTo(old.clock.now() + 1_000),
  }
  const said: string[] = []
  const patient = { ...options, patienceMs: 5_000, onStep: (words: string) => said.push(words) }
  await expect(moveDatabase({ ...old, clock }, next, patient)).rejects.toMatchObject({
    code: 'database_in_use',
  })
  expect(said.at(-1)).toContain('n1')
  await old.store.cluster.removeNode('n1')
  expect(await moveDatabase({ ...old, clock }, next, patient)).toMatchObject({ before: false })
})

test('made again, a move says that it was made; and it is made to one place only', async () => {
  const folder = testFolder()
  const { url } = await filled(folder)
  const [old, next] = [await movable(url), await movable(`sqlite:${join(folder, 'new.db')}`)]
  const first = await moveDatabase(old, next, options)
  expect(await moveDatabase(old, next, options)).toEqual({ ...first, before: true })
  for (const name of ['other.db', 'new.db2', 'new.d']) {
    const other = await movable(`sqlite:${join(folder, name)}`)
    await expect(moveDatabase(old, other, options)).rejects.toMatchObject({ code: 'database_moved' })
  }
})

test('a new database whose address is longer than a mark can be is found again', async () => {
  const folder = join(testFolder(), 'n'.repeat(120), 'm'.repeat(120))
  mkdirSync(folder, { recursive: true })
  const { url } = await filled(folder)
  const [old, next] = [await movable(url), await movable(`sqlite:${join(folder, 'new.db')}`)]
  const first = await moveDatabase(old, next, options)
  expect(await moveDatabase(old, next, options)).toEqual({ ...first, before: true })
})

test('a database that has jobs is not moved to, and the old one goes on', async () => {
  const folder = testFolder()
  const { url } = await filled(folder)
  const to = `sqlite:${join(folder, 'new.db')}`
  const used = await opened(to)
  await used.jobs.create({ name: 'mine', handler: { type: 'function', name: 'work' } })
  await expect(moveDatabase(await movable(url), await movable(to), options)).rejects.toMatchObject({
    code: 'database_in_use',
  })
  const again = await opened(url)
  expect((await again.jobs.list()).jobs.length).toBeGreaterThan(5)
})

test('taken back, the old database is as it was, with the entries of the move', async () => {
  const folder = testFolder()
  const { url, backup } = await filled(folder)
  const old = await movable(url)
  await moveDatabase(old, await movable(`sqlite:${join(folder, 'new.db')}`), options)
  await takeBack(old, { actor: 'ann', origin: 'here' })
  const evertick = await opened(url)
  await evertick.backup(join(folder, 'back'))
  const after = linesOf(join(folder, 'back')).lines.filter(
    (line) => !/"database\.(move|take_back)"/.test(line),
  )
  expect(after).toEqual(linesOf(backup).lines)
  await evertick.enqueue('often')
  expect(await takeBack(old, { actor: 'ann', origin: 'here' })).toBe(null)
})

test('a node at work stops by itself when its database moves, and what it had is done on the new one', async () => {
  const folder = testFolder()
  const [url, to] = [`sqlite:${join(folder, 'old.db')}`, `sqlite:${join(folder, 'new.db')}`]
  const job = defineJob({ name: 'often', schedule: { every: '1s' }, run: () => 'done' })
  const node = await Evertick.open({ database: url, logger: quiet, jobs: [job] })
  await node.start()
  const ended = node
    .run()
    .then(String, (error: unknown) => (error instanceof EvertickError ? error.code : error))
  const later = await node.enqueue('often', undefined, { runAt: new Date(Date.now() + 3_600_000) })
  const [old, next] = [await movable(url), await movable(to)]
  const patient = { ...options, patienceMs: 60_000 }
  await moveDatabase({ ...old, clock: systemClock }, { ...next, clock: systemClock }, patient)
  expect(await ended).toBe('database_moved')
  const moved = await opened(to)
  expect(await moved.executions.get(later.id)).toMatchObject({ state: 'pending', job: 'often' })
  expect(await moved.audit()).toMatchObject({ ok: true })
  const terms = await moved.leader.terms()
  // The node gave up its lead in good order, before its last row was read.
  expect(terms.find(({ leaderInstance }) => leaderInstance === node.nodeId)?.stopTime).not.toBe(null)
})
