/** The lock beside a database's file: one holder, whichever way the others came to the file. */
import { readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../process/until.ts'
import { scriptContext } from './builders.ts'
import { temporaryFolder } from './sqlite-store.ts'

function newFolder(): string {
  const folder = temporaryFolder()
  onTestFinished(() => folder.remove())
  return folder.path
}

async function open(path: string): Promise<Store> {
  const { store } = await openStore(`sqlite:${path}`, scriptContext())
  onTestFinished(() => store.close())
  return store
}

function hold(store: Store) {
  const told: (string | null)[] = []
  const lifeline = store.holdLifeline((name) => told.push(name))
  return { lifeline, told, isTied: () => told.length > 0 }
}

test('one holds it, others see that by whichever link, and the next has it once it is released', async () => {
  const folder = newFolder()
  const path = join(folder, 'evertick.db')
  const store = await open(path)
  const elsewhere = join(newFolder(), 'link.db')
  symlinkSync(path, elsewhere)
  const other = await open(elsewhere)
  const first = hold(store)
  await until('the first to hold it', first.isTied)
  const [name] = first.told
  expect(await other.cluster.checkLifeline(name ?? '')).toBe('held')
  const second = hold(other)
  await first.lifeline.release()
  await until('the second to hold it', second.isTied)
  expect(second.told).toEqual([name])
  expect(await store.cluster.checkLifeline(name ?? '')).toBe('held')
  await other.close()
  expect(await store.cluster.checkLifeline(name ?? '')).toBe('free')
})

test('its file stays empty, for its owner alone, and has no journal beside it', async () => {
  const folder = newFolder()
  const store = await open(join(folder, 'evertick.db'))
  const held = hold(store)
  await until('somebody to hold it', held.isTied)
  const file = statSync(join(folder, 'evertick.db-leader'))
  expect([file.size, file.mode & 0o777]).toEqual([0, 0o600])
  await store.close()
  expect(readdirSync(folder).toSorted()).toEqual(['evertick.db', 'evertick.db-leader'])
})

test('a database in memory has none: nobody else could look at it', async () => {
  const store = await open(':memory:')
  expect(await store.cluster.checkLifeline('any')).toBe('unknown')
})
