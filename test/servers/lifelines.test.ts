/** Locks that end with their holder's connection, on real servers. */
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { defaultPool, openStore } from '../../src/store/open-store.ts'
import type { LifelineState, Store } from '../../src/store/store.ts'
import { until } from '../process/until.ts'
import { openProxy } from '../rig/tcp-proxy.ts'
import { createMysql, createPostgres, databaseUrl, type TestDatabase } from '../services/databases.ts'
import { scriptContext } from '../store/builders.ts'

const pooler = inject('pgbouncerUrl')
const servers = [
  { name: 'PostgreSQL', url: inject('postgresUrl'), create: createPostgres },
  { name: 'MariaDB', url: inject('mysqlUrl'), create: createMysql },
]

async function open(url: string, direct?: string): Promise<Store> {
  const { store } = await openStore(url, scriptContext(), { pool: { ...defaultPool, direct } })
  onTestFinished(() => store.close())
  return store
}

/** What its holder is told, in order. */
function hold(store: Store) {
  const told: (string | null)[] = []
  const lifeline = store.holdLifeline((name) => told.push(name))
  const nth = async (count: number) => {
    await until(`word ${count} of the lifeline`, () => told.length >= count)
    return told[count - 1] ?? null
  }
  return { lifeline, nth, told }
}

async function becomes(store: Store, name: string | null, state: LifelineState): Promise<void> {
  if (name === null) throw new Error('The lifeline has no name.')
  await until(`${name} to be ${state}`, async () => (await store.cluster.checkLifeline(name)) === state)
}

describe.each(servers)('a lifeline to $name', ({ url, create }) => {
  let database: TestDatabase
  beforeAll(async () => {
    if (url !== null) database = await create(url)
  })
  afterAll(async () => await database?.drop())

  test.skipIf(url === null)(
    'is held while its connection lives, free once it is cut, and tied again',
    async () => {
      const proxy = await openProxy(database.url)
      onTestFinished(() => proxy.close())
      const held = hold(await open(proxy.url))
      const other = await open(database.url)
      const first = await held.nth(1)
      await becomes(other, first, 'held')
      proxy.mode('reset')
      expect(await held.nth(2)).toBeNull()
      await becomes(other, first, 'free')
      proxy.mode('pass')
      const second = await held.nth(3)
      expect(second).not.toBe(first)
      await becomes(other, second, 'held')
      await becomes(other, first, 'free')
    },
  )

  test.skipIf(url === null)('is free once it is released, and once its store is closed', async () => {
    const store = await open(database.url)
    const other = await open(database.url)
    const [released, closed] = [hold(store), hold(store)]
    const names = [await released.nth(1), await closed.nth(1)] as const
    await released.lifeline.release()
    await becomes(other, names[0], 'free')
    await becomes(other, names[1], 'held')
    await store.close()
    await becomes(other, names[1], 'free')
    expect([released.told.length, closed.told.length]).toEqual([1, 1])
  })
})

const [postgres, mariadb] = servers.map(({ url }) => url)

test.skipIf(mariadb === null)(
  'a lifeline to MariaDB says of which server it is: no other calls it free',
  async () => {
    const database = await createMysql(mariadb ?? '')
    onTestFinished(() => database.drop())
    const store = await open(database.url)
    const name = await hold(store).nth(1)
    expect(await store.cluster.checkLifeline(`${name}0`)).toBe('unknown')
  },
)

test.skipIf(postgres === null || pooler === null)(
  'a lifeline to PostgreSQL can be looked at through PgBouncer, and held past it',
  async () => {
    const database = await createPostgres(postgres ?? '')
    onTestFinished(() => database.drop())
    const pooled = databaseUrl(pooler ?? '', database.name)
    const name = await hold(await open(pooled, database.url)).nth(1)
    const through = await open(pooled)
    expect(await through.cluster.checkLifeline(name ?? '')).toBe('held')
  },
)
