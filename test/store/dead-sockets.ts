/** What becomes of connections that are let in and closed, or that die in silence: the same on every server. */
import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { defineJob, Evertick } from '../../src/index.ts'
import { defaultPool, openStore } from '../../src/store/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { until } from '../process/until.ts'
import { type FastHost, fastHost } from '../rig/fast-host.ts'
import { openProxy, type TcpProxy } from '../rig/tcp-proxy.ts'
import type { TestDatabase } from '../services/databases.ts'
import { idOf, jobSpec, newExecution, newJob, scriptContext, t0 } from './builders.ts'

/** A deadline of 15 s is one of 1.5 s. */
const times = 10
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function describeDeadSockets(
  name: string,
  create: () => Promise<TestDatabase>,
  { skip = false } = {},
): void {
  describe.skipIf(skip)(`dead connections to ${name}`, () => {
    const ends: (() => Promise<unknown>)[] = []
    let database: TestDatabase
    let proxy: TcpProxy
    let host: FastHost

    beforeAll(async () => {
      database = await create()
      const { store, migrator } = await openStore(database.url, scriptContext())
      await migrator.up(t0)
      await store.jobs.createJob(newJob('a', jobSpec({ schedule: null })))
      await store.close()
    })
    afterEach(async () => {
      for (const end of ends.splice(0).toReversed()) await end()
    })
    afterAll(async () => await database?.drop())

    async function proxied(): Promise<TcpProxy> {
      const opened = await openProxy(database.url)
      ends.push(() => opened.close())
      return opened
    }

    async function storeThroughProxy(): Promise<Store> {
      proxy = await proxied()
      host = fastHost(times)
      const { store } = await openStore(proxy.url, scriptContext(), { host })
      ends.push(() => store.close())
      return store
    }

    /** So many connections are open, and rest. */
    async function warm(store: Store): Promise<void> {
      await Promise.all(Array.from({ length: 4 }, () => store.jobs.findJob('a')))
      await store.time()
    }

    test('a balancer that accepts and closes for a minute: at most one connect a second of each kind', async () => {
      const [work, direct] = [await proxied(), await proxied()]
      const fast = fastHost(times)
      const pool = { ...defaultPool, ...(name === 'postgres' ? { direct: direct.url } : {}) }
      const { store } = await openStore(work.url, scriptContext(), { host: fast, pool })
      ends.push(() => store.close())
      const hears = store.hears()
      const before = { work: work.connects, direct: direct.connects }
      for (const one of [work, direct]) {
        one.mode('reset')
        one.mode('accept_and_close')
      }
      const end = fast.monotonic() + 60_000
      const callers = Array.from({ length: 20 }, async () => {
        let refused = 0
        for (; fast.monotonic() < end; refused += 1) {
          await expect(store.jobs.findJob('a')).rejects.toMatchObject({ code: 'database_unavailable' })
        }
        return refused
      })
      expect(Math.min(...(await Promise.all(callers)))).toBeGreaterThan(0)
      expect(work.connects - before.work).toBeLessThanOrEqual(60)
      expect(direct.connects - before.direct).toBeLessThanOrEqual(60)
      for (const one of [work, direct]) one.mode('pass')
      expect(await store.jobs.findJob('a')).not.toBeNull()
      await until('hints to be there again', () => store.hears() === hears)
    })

    test('a server that accepts and never answers is given up, and found when it is back', async () => {
      const store = await storeThroughProxy()
      proxy.mode('reset')
      proxy.mode('silence')
      await expect(store.jobs.findJob('a')).rejects.toMatchObject({ code: 'database_unavailable' })
      proxy.mode('pass')
      expect(await store.jobs.findJob('a')).not.toBeNull()
    })

    test('resting connections that a firewall has forgotten cost a retry, not an error', async () => {
      const store = await storeThroughProxy()
      await warm(store)
      proxy.forget()
      host.skip(5_000)
      await store.work.enqueueExecutions([newExecution('after-rest', 'a')])
      proxy.forget()
      host.skip(5_000)
      await store.cluster.pauseQueue('rested', null, { now: t0, actor: 'ann' })
      // Those that were used a moment ago, too, where nothing can have been written.
      proxy.forget()
      expect(await store.executions.findExecution(idOf('after-rest'))).not.toBeNull()
      expect(await store.audit.listAuditLog({ subject: 'rested', limit: 10 })).toHaveLength(1)
    })

    test('what is under way on a connection that dies holds up others no longer than its deadline', async () => {
      const store = await storeThroughProxy()
      await warm(store)
      await store.work.enqueueExecutions([newExecution('before-loss', 'a')])
      proxy.forget()
      const names = ['first', 'second']
      const orders = names.map((name) => store.work.enqueueExecutions([newExecution(name, 'a')]))
      // Where nobody knows whether it was written, it is not repeated.
      const known = (error: unknown) => expect(error).toMatchObject({ code: 'database_unavailable' })
      const made = await Promise.all(orders.map((order) => order.then(() => true, known)))
      const acknowledged = names.filter((_, index) => made[index] === true)
      for (const name of acknowledged) expect(await store.executions.findExecution(idOf(name))).not.toBeNull()
      await store.work.enqueueExecutions([newExecution('order', 'a')])
      expect(await store.executions.findExecution(idOf('order'))).not.toBeNull()
    })

    test.for(['BEGIN', 'a statement of its own', 'COMMIT'] as const)(
      'a handler whose connection falls silent at %s is not waited for: its work is done once, by this attempt or the next',
      async (where) => {
        proxy = await proxied()
        host = fastHost(times)
        let calls = 0
        const order = defineJob({
          name: `order-${where.replaceAll(' ', '-').toLowerCase()}`,
          retry: { attempts: 3, base: '100ms' },
          run: async (ctx) => {
            const dies = (at: typeof where) => {
              if (at === where && ctx.attempt === 1) proxy.forget()
            }
            calls += 1
            dies('BEGIN')
            return await ctx.transaction(async (tx) => {
              dies('a statement of its own')
              await tx.sql`SELECT 1`
              dies('COMMIT')
              return 'done'
            })
          },
        })
        const evertick = await Evertick.openWith(
          {
            database: proxy.url,
            jobs: [order],
            logger: quiet,
            pool: { transactionTimeout: '10s' },
            roles: ['worker'],
          },
          { host },
        )
        ends.push(() => evertick.stop({ timeout: 0 }))
        await evertick.start()
        const { id } = await evertick.enqueue(order)
        expect(await evertick.result(id)).toBe('done')
        // At BEGIN nothing of the handler's is lost; where the machine is slow, its deadline may still send it round again.
        expect(calls).toBeOneOf(where === 'BEGIN' ? [1, 2] : [2])
        expect(await evertick.executions.get(id)).toMatchObject({ state: 'completed', attempt: calls })
      },
    )

    test('a stop ends in its time, though the database is gone and a handler hangs in its transaction', async () => {
      proxy = await proxied()
      const hangs = Promise.withResolvers<void>()
      const stuck = defineJob({
        name: 'stuck',
        run: (ctx) =>
          ctx.transaction(async () => {
            hangs.resolve()
            await new Promise(() => {})
          }),
      })
      const evertick = await Evertick.openWith(
        { database: proxy.url, jobs: [stuck], logger: quiet },
        { host: fastHost(times) },
      )
      await evertick.start()
      await evertick.enqueue(stuck)
      await hangs.promise
      proxy.mode('blackhole')
      await evertick.stop({ timeout: '500ms' })
      await expect(evertick.ping()).rejects.toMatchObject({ code: 'database_closed' })
    })

    test('every connection has keepalive, or its other end could vanish unnoticed', async (context) => {
      if (process.platform !== 'linux') return context.skip()
      const store = await storeThroughProxy()
      await warm(store)
      const timers = () => timersOf(Number(new URL(proxy.url).port))
      expect(timers().length).toBeGreaterThan(4)
      // While a packet waits for its acknowledgement, the kernel shows that timer instead.
      await until('all sent to be acknowledged', () => timers().every(({ kind }) => kind !== resendTimer))
      for (const { kind, leftMs } of timers()) {
        expect(kind).toBe(keepaliveTimer)
        expect(leftMs).toBeLessThanOrEqual(60_000)
      }
    })
  })
}

const resendTimer = '01'
const keepaliveTimer = '02'

/** The timer that the kernel runs for each connection of this host to the port, which it counts in hundredths. */
function timersOf(port: number): { readonly kind: string; readonly leftMs: number }[] {
  const far = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , remote, state]) => remote?.endsWith(far) === true && state === '01')
    .map(([, , , , , timer = '']) => {
      const [kind = '', left = ''] = timer.split(':')
      return { kind, leftMs: Number.parseInt(left, 16) * 10 }
    })
}
