/** A DistributedLock on a database server, whose schema and whose time are not this process's own. */
import { afterEach, describe, expect, inject, it } from 'vitest'
import { newId } from '../../src/app/ids.ts'
import { DistributedLock } from '../../src/index.ts'
import { openStore } from '../../src/store/open-store.ts'
import { createPostgres } from '../services/databases.ts'

const postgresUrl = inject('postgresUrl')
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function migrate(url: string): Promise<void> {
  const { store, migrator } = await openStore(url, { newId, tzVersion: 'test' })
  await migrator.up(0)
  await store.close()
}

describe.skipIf(postgresUrl === null)('a lock on PostgreSQL', () => {
  it('needs a schema, and serves as soon as there is one', async () => {
    const database = await createPostgres(postgresUrl ?? '')
    ends.push(() => database.drop())
    const { url } = database
    const [one, other] = [new DistributedLock({ database: url }), new DistributedLock({ database: url })]
    ends.push(
      () => one.close(),
      () => other.close(),
    )
    await expect(one.acquire('report')).rejects.toMatchObject({ code: 'schema_missing' })
    await migrate(url)
    const held = await one.acquire('report')
    expect(await other.acquire('report')).toBeNull()
    expect(await other.owner('report')).toMatchObject({ owner: one.instanceId, fence: held?.fence })
    expect(await other.release('report', 'wrong')).toBe(false)
    const waiting = other.acquire('report', { blocking: true, timeout: '1m' })
    expect(await held?.release()).toBe(true)
    expect((await waiting)?.fence).toBeGreaterThan(held?.fence ?? Number.POSITIVE_INFINITY)
  })
})
