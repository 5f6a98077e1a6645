/** What only this engine can get wrong. */
import { createConnection as createCallbackConnection } from 'mysql2'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { placeOf } from '../../src/store/mysql/place.ts'
import { collationOf } from '../../src/store/mysql/server-facts.ts'
import { openStore } from '../../src/store/open-store.ts'
import type { CompleteWithin, Transaction } from '../../src/store/store.ts'
import { idOf, jobSpec, newExecution, scriptContext, t0 } from '../store/builders.ts'
import { withStore } from '../store/conformance/store-under-test.ts'
import { type MysqlFile, mysqlFile } from '../store/mysql-store.ts'

const onDemand = jobSpec({ schedule: null })
const url = inject('mysqlUrl')

describe.skipIf(url === null)('the MySQL engine', () => {
  let file: MysqlFile
  beforeAll(async () => {
    file = await mysqlFile(url ?? '')
  })
  afterAll(async () => await file?.close())
  const open = async () => await file.open()

  test(
    'a handler that goes on after a deadlock has lost its transaction, and writes nothing for good',
    withStore(open, async ({ hand, store, sql }) => {
      await sql('CREATE TABLE orders (id INT PRIMARY KEY, note INT)')
      await sql('INSERT INTO orders VALUES (1, 0), (2, 0)')
      await hand.work()
      await hand.create('a', onDemand)
      await store.work.enqueueExecutions([newExecution('e1', 'a')])
      const claim = await hand.claimOne(t0)
      const rival = await createConnection(file.url)
      await rival.beginTransaction()
      // The one that has written less is the victim.
      await rival.query('INSERT INTO orders VALUES (7, 0), (8, 0), (9, 0)')
      await rival.query('UPDATE orders SET note = 1 WHERE id = 2')
      const codes: unknown[] = []
      const noted = async (work: Promise<unknown>) =>
        await work.catch((error: unknown) => codes.push((error as { code: unknown }).code))
      const done = store.work.completeWithin(
        within(claim, async (tx) => {
          await tx.query('UPDATE orders SET note = 2 WHERE id = 1')
          const rivals = rival.query('UPDATE orders SET note = 1 WHERE id = 1')
          await noted(tx.query('UPDATE orders SET note = 2 WHERE id = 2'))
          await rivals
          await noted(tx.query('INSERT INTO orders VALUES (3, 2)'))
        }),
      )
      await expect(done).rejects.toMatchObject({ code: 'database_busy' })
      expect(codes).toEqual(['ER_LOCK_DEADLOCK', 'ER_LOCK_DEADLOCK'])
      await rival.rollback()
      await rival.end()
      expect(await sql('SELECT id, note FROM orders ORDER BY id')).toEqual([
        { id: 1, note: 0 },
        { id: 2, note: 0 },
      ])
      expect(await hand.execution(idOf('e1'))).toMatchObject({ state: 'running' })
    }),
  )

  test(
    "in a caller's REPEATABLE READ, too, the holder of a unique key is found",
    withStore(open, async ({ hand, store }) => {
      await hand.create('a', onDemand)
      const caller = await createConnection(file.url)
      await caller.beginTransaction()
      await caller.query('SELECT * FROM evertick_jobs')
      await store.work.enqueueExecutions([newExecution('e1', 'a', { uniqueKey: 'k' })])
      const drafts = [newExecution('e2', 'a', { uniqueKey: 'k' }), newExecution('e3', 'a')]
      expect(await store.work.enqueueExecutions(drafts, caller)).toEqual([
        { id: idOf('e1'), created: false },
        { id: idOf('e3'), created: true },
      ])
      await caller.commit()
      await caller.end()
      expect(await hand.executions('a')).toHaveLength(2)
    }),
  )

  test(
    'a connection with callbacks is a transaction as well, whatever shape its rows have',
    withStore(open, async ({ hand, store }) => {
      await hand.create('a', onDemand)
      const caller = createCallbackConnection({ uri: file.url, rowsAsArray: true })
      await caller.promise().beginTransaction()
      const keyed = (id: string) => newExecution(id, 'a', { uniqueKey: 'k' })
      expect(await store.work.enqueueExecutions([keyed('e1')], caller)).toEqual([
        { id: idOf('e1'), created: true },
      ])
      expect(await store.work.enqueueExecutions([keyed('e2')], caller)).toEqual([
        { id: idOf('e1'), created: false },
      ])
      await caller.promise().rollback()
      caller.destroy()
      expect(await hand.executions('a')).toEqual([])
    }),
  )

  test(
    'what a handler is given has UTC, strict modes and READ COMMITTED; objects are JSON, lists are lists',
    withStore(open, async ({ hand, store }) => {
      await hand.work()
      await hand.create('a', onDemand)
      await store.work.enqueueExecutions([newExecution('e1', 'a')])
      const seen = await store.work.completeWithin(
        within(await hand.claimOne(t0), async (tx) => [
          await tx.sql`SELECT @@time_zone AS zone, @@sql_mode AS modes`,
          // Its name differs between the two kinds of server.
          (await tx.sql`SHOW VARIABLES LIKE '%isolation'`).some(({ Value }) => Value === 'READ-COMMITTED'),
          await tx.sql`SELECT ${{ a: [`'"\\`] }} AS object, 2 IN (${[1, 2]}) AS listed, ${new Date(t0)} AS at`,
        ]),
      )
      expect(seen).toEqual([
        [{ zone: '+00:00', modes: 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION' }],
        true,
        [{ object: JSON.stringify({ a: [`'"\\`] }), listed: 1, at: '2027-01-04 00:00:00.000' }],
      ])
    }),
  )

  test(
    'a batch beyond one statement is written whole or not at all',
    withStore(open, async ({ hand, store }) => {
      await hand.create('a', onDemand)
      const input = 'x'.repeat(900_000)
      const large = Array.from({ length: 6 }, (_, n) => newExecution(`large-${n}`, 'a', { input }))
      await store.work.enqueueExecutions(large)
      const many = Array.from({ length: 600 }, (_, n) => newExecution(`many-${n}`, 'a'))
      const [last] = many.splice(-1)
      const refused = store.work.enqueueExecutions([
        ...many,
        { ...(last ?? large[0]), id: idOf('large-0') } as never,
      ])
      await expect(refused).rejects.toMatchObject({ errno: 1062 })
      expect(await store.executions.countExecutions()).toEqual({ pending: 6 })
    }),
  )

  test('a password that is wrong, and TLS that is not there, have their codes', async () => {
    const wrong = new URL(file.url)
    wrong.password = 'secret'
    const refusal = openStore(wrong.href, scriptContext())
    await expect(refusal).rejects.toMatchObject({ code: 'database_missing' })
    await expect(refusal).rejects.not.toThrow('secret')
    const safe = openStore(`${file.url}?sslmode=verify-ca`, scriptContext())
    await expect(safe).rejects.toMatchObject({ code: 'database_unavailable' })
    await expect(safe).rejects.toThrow('TLS')
  })

  test("the server's time is in milliseconds, whatever its zone", async () => {
    const door = await createConnection(file.url)
    const { store } = await openStore(file.url, scriptContext())
    const [rows] = await door.query<(RowDataPacket & { now: string })[]>(
      'SELECT UNIX_TIMESTAMP(NOW(3)) * 1000 AS now',
    )
    const time = (await store.time()) ?? 0
    expect(Math.abs(time - Number(rows[0]?.now))).toBeLessThan(5_000)
    await store.close()
    await door.end()
  })
})

describe('the URL of MySQL', () => {
  test('names host, user and database, and nothing else reaches the driver', async () => {
    const { address, prefix } = await placeOf(
      'mariadb://us%40er:p%2Fw@[::1]:3307/my%20app?prefix=app_&sslmode=require',
    )
    expect({ ...address, prefix }).toEqual({
      host: '::1',
      port: 3307,
      user: 'us@er',
      password: 'p/w',
      database: 'my app',
      ssl: { rejectUnauthorized: false, verifyIdentity: false },
      prefix: 'app_',
    })
    expect(await placeOf('mysql://root@db/app')).toMatchObject({
      address: { port: 3306, password: '', ssl: null },
      prefix: 'evertick_',
    })
  })

  test.each([
    ['mysql://db', 'does not name a database'],
    ['mysql://db/app?multipleStatements=true', '"multipleStatements"'],
    ['mysql://db/app?prefix=Evertick', '"Evertick"'],
    ['mysql://db/app?sslmode=prefer', 'sslmode=prefer'],
    ['mysql://127.0.0.1/app?sslmode=verify-full', 'verify-full'],
    ['mysql://db/app?sslmode=verify-ca&sslrootcert=/nowhere.pem', '/nowhere.pem'],
  ])('%s is refused', async (wrong, says) => {
    const refusal = placeOf(wrong)
    await expect(refusal).rejects.toMatchObject({ code: 'unsupported_database', field: 'database' })
    await expect(refusal).rejects.toThrow(says)
  })

  test('an old server is refused, and each kind has its collation', () => {
    for (const old of ['5.7.44-log', '10.5.29-MariaDB-1']) expect(() => collationOf(old)).toThrow(old)
    expect(['8.0.36', '10.6.16-MariaDB', '11.4.2-MariaDB-ubu'].map(collationOf)).toEqual([
      'utf8mb4_0900_bin',
      'utf8mb4_nopad_bin',
      'utf8mb4_nopad_bin',
    ])
  })
})

function within<T>(
  claim: CompleteWithin<T>['claim'],
  run: (tx: Transaction) => Promise<T>,
): CompleteWithin<T> {
  return {
    claim,
    nodeId: 'n1',
    maxMs: 20_000,
    clock: { now: () => t0, sleep: () => new Promise(() => {}) },
    run,
    ending: (result) => ({ state: 'completed', result }),
  }
}
