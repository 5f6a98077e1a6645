/** What a store does when its server is away, crashes, is cut off or does not answer: the same on every server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Evertick, type EvertickError } from '../../src/index.ts'
import { openStore } from '../../src/store/open-store.ts'
import { until } from '../process/until.ts'
import { openProxy } from '../rig/tcp-proxy.ts'
import type { Server } from '../services/server.ts'
import { idOf, jobSpec, newExecution, newJob, scriptContext, t0 } from './builders.ts'

async function failure(work: Promise<unknown>): Promise<EvertickError> {
  try {
    await work
  } catch (error) {
    return error as EvertickError
  }
  throw new Error('It did not fail.')
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function describeServerFaults(
  name: string,
  start: () => Promise<Server>,
  { skip = false } = {},
): void {
  describe.skipIf(skip)(`a bad day of ${name}`, () => {
    let server: Server
    beforeAll(async () => {
      server = await start()
      const { store, migrator } = await openStore(server.url, scriptContext())
      await migrator.up(t0)
      await store.jobs.createJob(newJob('a', jobSpec({ schedule: null })))
      await store.close()
    }, 60_000)
    afterAll(async () => await server?.remove())

    test('a server that is not there, a database that is not there: coded, and without the password', async () => {
      const away = new URL(server.url)
      away.port = '1'
      away.password = 'secret'
      const refused = await failure(openStore(away.href, scriptContext()))
      expect(refused).toMatchObject({ code: 'database_unavailable', kind: 'unavailable' })
      expect(refused.message).not.toContain('secret')
      const unknown = new URL(server.url)
      unknown.pathname = '/nowhere'
      expect(await failure(openStore(unknown.href, scriptContext()))).toMatchObject({
        code: 'database_missing',
      })
    })

    test('an empty database is refused with what to do, until it is migrated', async () => {
      const { store, migrator } = await openStore(server.url, scriptContext())
      await migrator.down()
      const error = await failure(Evertick.open({ database: server.url }))
      expect(error).toMatchObject({ code: 'schema_missing' })
      expect(error.next).toContain('evertick migrate up')
      const evertick = await Evertick.open({ database: server.url, migrate: true })
      await evertick.ping()
      await evertick.stop()
      await store.jobs.createJob(newJob('a', jobSpec({ schedule: null })))
      await store.close()
    })

    test('a crash of the server is survived: calls come through once it is back', async () => {
      const { store } = await openStore(server.url, scriptContext())
      await store.work.enqueueExecutions([newExecution('before', 'a')])
      await server.crash()
      expect(await failure(store.jobs.findJob('a'))).toMatchObject({ code: 'database_unavailable' })
      expect(await failure(store.work.enqueueExecutions([newExecution('during', 'a')]))).toMatchObject({
        code: 'database_unavailable',
      })
      await server.start()
      await store.work.enqueueExecutions([newExecution('after', 'a')])
      expect(await store.executions.findExecution(idOf('before'))).not.toBeNull()
      expect(await store.executions.findExecution(idOf('after'))).not.toBeNull()
      expect(await store.executions.findExecution(idOf('during'))).toBeNull()
      await store.close()
    })

    test('a connection that was cut while it rested is replaced without a word', async () => {
      const proxy = await openProxy(server.url)
      const { store } = await openStore(proxy.url, scriptContext())
      await store.jobs.findJob('a')
      proxy.mode('reset')
      proxy.mode('pass')
      expect(await store.jobs.findJob('a')).not.toBeNull()
      await store.work.enqueueExecutions([newExecution('replaced', 'a')])
      await store.close()
      await proxy.close()
    })

    test('a COMMIT whose reply is lost is not repeated: an error says that nobody knows', async () => {
      const proxy = await openProxy(server.url)
      const { store } = await openStore(proxy.url, scriptContext())
      await store.jobs.findJob('a')
      // Not READ COMMITTED.
      proxy.cutAfter(/COMMIT(?!TED)/)
      const error = await failure(store.cluster.pauseQueue('lost-reply', null, { now: t0, actor: 'ann' }))
      expect(error).toMatchObject({ code: 'database_unavailable' })
      const log = await store.audit.listAuditLog({ subject: 'lost-reply', limit: 10 })
      expect(log).toHaveLength(1)
      await store.close()
      await proxy.close()
    })

    test('a leader that is cut off stops deciding before its lease ends, and another takes over', async () => {
      const proxy = await openProxy(server.url)
      const options = {
        leader: { lease: '2s', heartbeat: '500ms' },
        roles: ['scheduler'],
        logger: quiet,
      } as const
      const first = await Evertick.open({ ...options, database: proxy.url, nodeId: 'first' })
      const second = await Evertick.open({ ...options, database: server.url, nodeId: 'second' })
      const led: string[] = []
      first.on('leader:elected', () => led.push('first leads'))
      second.on('leader:elected', () => led.push('second leads'))
      await first.start()
      await until('the first to lead', () => led.length === 1)
      await second.start()
      proxy.mode('blackhole')
      await until('the second to lead', () => led.includes('second leads'))
      const terms = (await second.leader.terms()).toReversed()
      const [before, after] = terms.slice(-2)
      if (before === undefined || after === undefined) throw new Error('there were to be two terms')
      expect(after.leaderInstance).toBe('second')
      // The lease, and the slack that others' leases are given.
      expect(after.startTime.getTime()).toBeGreaterThanOrEqual((before.lastHeartbeat?.getTime() ?? 0) + 2_000)
      proxy.mode('pass')
      await second.stop()
      await until('the first to lead again', () => led.filter((word) => word === 'first leads').length === 2)
      await first.stop()
      await proxy.close()
    }, 60_000)

    test('hints of other nodes arrive again after a crash', async () => {
      const one = await openStore(server.url, scriptContext())
      const hinted = one.store.hears()
      const two = await openStore(server.url, scriptContext())
      if (one.store.hears() !== 'nothing') {
        const heard: string[] = []
        one.store.listen((topic) => heard.push(topic))
        await server.crash()
        await until('the loss to be seen', () => one.store.hears() === 'nothing')
        await server.start()
        await until(
          'hints to be there again',
          () => one.store.hears() === 'all' && two.store.hears() === 'all',
        )
        heard.length = 0
        await two.store.work.enqueueExecutions([newExecution('hinted', 'a')])
        await until('the hint', () => heard.includes('work'))
      }
      expect(one.store.hears()).toBe(hinted)
      await one.store.close()
      await two.store.close()
    }, 60_000)
  })
}
