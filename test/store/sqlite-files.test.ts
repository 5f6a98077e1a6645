/** The files of a database that are taken away under a node: noticed at once, by inode and device, and nothing is acknowledged. */
import { copyFileSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { idOf, jobSpec, newExecution, newJob, scriptContext, t0 } from './builders.ts'
import { byHand } from './by-hand.ts'
import { temporaryFolder } from './sqlite-store.ts'

let folder: ReturnType<typeof temporaryFolder>
let path: string
let store: Store
beforeEach(async () => {
  folder = temporaryFolder()
  path = join(folder.path, 'evertick.db')
  store = await open(path)
  await store.jobs.createJob(newJob('a', jobSpec({ schedule: null })))
})
afterEach(async () => {
  await store.close()
  folder.remove()
})

async function open(file: string): Promise<Store> {
  const opened = await openStore(`sqlite:${file}`, scriptContext())
  await opened.migrator.up(t0)
  return opened.store
}

const parts = () => [path, `${path}-wal`, `${path}-shm`]
const removeAll = () => {
  for (const part of parts()) rmSync(part)
}
/** As a restore would, without stopping the node. */
const restore = () => {
  const backup = join(folder.path, 'backup.db')
  const client = new DatabaseSync(path)
  client.exec(`VACUUM INTO '${backup}'`)
  client.close()
  removeAll()
  renameSync(backup, path)
}
const replaceByCopy = (part: string) => {
  copyFileSync(part, `${part}.copy`)
  renameSync(`${part}.copy`, part)
}

const losses: readonly [title: string, lose: () => void][] = [
  ['deleted', () => rmSync(path)],
  ['deleted with its log', removeAll],
  ['moved away', () => renameSync(path, join(folder.path, 'elsewhere.db'))],
  ['replaced by a backup', restore],
  ['replaced by a copy of the same bytes', () => replaceByCopy(path)],
  ['left without its log', () => rmSync(`${path}-wal`)],
  ['given another log', () => replaceByCopy(`${path}-wal`)],
  ['left without its shared memory', () => rmSync(`${path}-shm`)],
  [
    'in a folder that was moved',
    () => {
      renameSync(folder.path, `${folder.path}-moved`)
      mkdirSync(folder.path)
    },
  ],
]

describe.each(losses)('a file that was %s', (_title, lose) => {
  afterEach(() => rmSync(`${folder.path}-moved`, { recursive: true, force: true }))

  test('takes no write, however it is asked, and says what to do', async () => {
    await store.work.enqueueExecutions([newExecution('before', 'a')])
    lose()
    const refused = { code: 'database_replaced', kind: 'unavailable' }
    const writes = [
      store.work.enqueueExecutions([newExecution('after', 'a')]),
      // Not waited for on the disk.
      store.work.claimExecutions({
        queue: 'default',
        now: t0,
        readyBy: t0,
        nodeId: 'n1',
        limit: 1,
        start: 1,
        leaseMs: 30_000,
      }),
      store.cluster.electLeader({ nodeId: 'n1', now: t0, leaseMs: 10_000 }),
      store.sync(),
    ]
    const ends = await Promise.allSettled(writes)
    expect(ends).toMatchObject(writes.map(() => ({ status: 'rejected', reason: refused })))
    await expect(store.jobs.findJob('a')).rejects.toMatchObject(refused)
    await expect(store.jobs.findJob('a')).rejects.toThrow(folder.path)
    await store.close()
    await expect(store.work.enqueueExecutions([newExecution('last', 'a')])).rejects.toMatchObject(refused)
  })

  test('is noticed by a node that only looks for changes', async () => {
    await store.changes()
    lose()
    await expect(store.changes()).rejects.toMatchObject({ code: 'database_replaced' })
  })
})

test('what was under way is not acknowledged: the file goes between the commit and its sync', async () => {
  const writes = Array.from({ length: 50 }, (_, n) =>
    store.work.enqueueExecutions([newExecution(`e${n}`, 'a')]),
  )
  // One turn later they are committed, and the sync is on its thread.
  await new Promise((resolve) => setImmediate(resolve))
  removeAll()
  const ends = await Promise.allSettled(writes)
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['rejected']))
})

test('a file that is put back does not bring the store back: others may have written meanwhile', async () => {
  const elsewhere = join(folder.path, 'elsewhere.db')
  renameSync(path, elsewhere)
  await expect(store.changes()).rejects.toMatchObject({ code: 'database_replaced' })
  renameSync(elsewhere, path)
  await expect(store.changes()).rejects.toMatchObject({ code: 'database_replaced' })
})

test('a store that lost its file leaves the files of the next one alone when it closes', async () => {
  restore()
  const next = await open(path)
  await next.work.enqueueExecutions([newExecution('new', 'a')])
  await expect(store.changes()).rejects.toMatchObject({ code: 'database_replaced' })
  await store.close()
  expect(parts().map((part) => existsSync(part))).toEqual([true, true, true])
  await next.work.enqueueExecutions([newExecution('newer', 'a')])
  await next.close()
  const again = await open(path)
  expect((await again.executions.listExecutions({ limit: 10 })).map(({ id }) => id).toSorted()).toEqual([
    idOf('new'),
    idOf('newer'),
  ])
  await again.close()
})

test('a handler’s transaction is not told that it has committed', async () => {
  const hand = byHand(store)
  await hand.work()
  await store.work.enqueueExecutions([newExecution('e1', 'a')])
  const claim = await hand.claimOne(t0)
  const done = store.work.completeWithin({
    claim,
    nodeId: 'n1',
    maxMs: 2_000,
    clock: { now: () => t0, sleep: () => new Promise(() => {}) },
    run: async () => removeAll(),
    ending: () => ({ state: 'completed', result: null }),
  })
  await expect(done).rejects.toMatchObject({ code: 'database_replaced' })
})

test('behind a link the file is watched, and so is the link', async () => {
  const link = join(folder.path, 'link.db')
  symlinkSync(path, link)
  const linked = await open(link)
  await linked.work.enqueueExecutions([newExecution('linked', 'a')])
  expect(await store.executions.findExecution(idOf('linked'))).not.toBeNull()
  const other = join(folder.path, 'other.db')
  await (await open(other)).close()
  rmSync(link)
  symlinkSync(other, link)
  await expect(linked.work.enqueueExecutions([newExecution('after', 'a')])).rejects.toMatchObject({
    code: 'database_replaced',
  })
  await store.work.enqueueExecutions([newExecution('direct', 'a')])
  await linked.close()
})

test('another name of the same file is no loss', async () => {
  linkSync(path, join(folder.path, 'second-name.db'))
  await store.work.enqueueExecutions([newExecution('e1', 'a')])
  expect(await store.executions.findExecution(idOf('e1'))).not.toBeNull()
})
