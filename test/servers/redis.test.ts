/** Locks on Redis: one holder at a time, through killed connections, a Redis that hangs, restarts or forgets. */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { DistributedLock, type EvertickError, type HeldLock } from '../../src/index.ts'
import { openRedisLocks } from '../../src/store/open-store.ts'
import { until } from '../process/until.ts'
import { fastHost } from '../rig/fast-host.ts'
import { openProxy } from '../rig/tcp-proxy.ts'
import { startRedis } from '../services/redis.ts'
import type { Server } from '../services/server.ts'
import { connectAdmin } from './redis-server.ts'

const shared = inject('redisUrl') ?? ''
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

function lockOn(redis: string, prefix: string): DistributedLock {
  const lock = new DistributedLock({ redis, prefix })
  ends.push(() => lock.close())
  return lock
}

async function taken(held: Promise<HeldLock | null>): Promise<HeldLock> {
  const lock = await held
  if (lock === null) throw new Error('Somebody else holds the lock.')
  return lock
}

async function adminOf(url: string) {
  const admin = await connectAdmin(url)
  ends.push(() => admin.close())
  return admin
}

describe.skipIf(shared === '')('a lock on Redis', () => {
  it('has one holder at a time, and says who', async () => {
    const prefix = randomUUID()
    const [one, other] = [lockOn(shared, prefix), lockOn(shared, prefix)]
    const held = await taken(one.acquire('report'))
    expect(await other.acquire('report')).toBeNull()
    expect(await one.acquire('report')).toBeNull()
    expect(await other.owner('report')).toMatchObject({ owner: one.instanceId, fence: held.fence })
    expect(await other.acquire('another')).not.toBeNull()
    expect(await held.release()).toBe(true)
    expect(await held.release()).toBe(false)
    expect(await other.owner('report')).toBeNull()
    expect((await taken(other.acquire('report'))).fence).toBeGreaterThan(held.fence)
  })

  it('is free again when its ttl is over, and its late holder is told', async () => {
    const prefix = randomUUID()
    const [one, other] = [lockOn(shared, prefix), lockOn(shared, prefix)]
    const held = await taken(one.acquire('report', { ttl: '100ms' }))
    await until('the end of the ttl', async () => (await other.acquire('report')) !== null)
    await expect(held.extend()).rejects.toMatchObject({ code: 'lock_lost' })
    expect(await held.release()).toBe(false)
    expect(await one.owner('report')).toMatchObject({ owner: other.instanceId })
  })

  it('is extended and released by its own token only', async () => {
    const lock = lockOn(shared, randomUUID())
    const held = await taken(lock.acquire('report', { ttl: '1m' }))
    const before = await lock.owner('report')
    expect(await lock.extend('report', 'wrong', '1h')).toBe(false)
    expect(await lock.release('report', 'wrong')).toBe(false)
    expect(await lock.extend('report', held.token, '1h')).toBe(true)
    const after = await lock.owner('report')
    expect(Number(after?.expiresAt)).toBeGreaterThan(Number(before?.expiresAt))
    expect(await lock.release('report', held.token)).toBe(true)
    expect(await lock.extend('report', held.token, '1h')).toBe(false)
  })

  it('is waited for as long as asked', async () => {
    const prefix = randomUUID()
    const [one, other] = [lockOn(shared, prefix), lockOn(shared, prefix)]
    const held = await taken(one.acquire('report'))
    expect(await other.acquire('report', { blocking: true, timeout: '200ms' })).toBeNull()
    const leaving = new AbortController()
    const impatient = other.acquire('report', { blocking: true, signal: leaving.signal })
    leaving.abort(new Error('left'))
    await expect(impatient).rejects.toThrow('left')
    const patient = other.acquire('report', { blocking: true, timeout: '1m' })
    await held.release()
    expect((await taken(patient)).fence).toBeGreaterThan(held.fence)
  })

  it('is kept while work is done under it', async () => {
    const prefix = randomUUID()
    const [one, other] = [lockOn(shared, prefix), lockOn(shared, prefix)]
    const result = await one.withLock('report', { ttl: '2s' }, async (signal, { fence }) => {
      const first = Number((await other.owner('report'))?.expiresAt)
      await until('a life of two ttls', async () => {
        const owner = await other.owner('report')
        expect(owner).toMatchObject({ owner: one.instanceId, fence })
        return Number(owner?.expiresAt) > first + 2_000
      })
      await expect(other.withLock('report', {}, () => 0)).rejects.toMatchObject({ code: 'lock_held' })
      return signal.aborted ? 'lost' : 'kept'
    })
    expect(result).toBe('kept')
    expect(await other.owner('report')).toBeNull()
  })

  it('never has two holders, however many try', async () => {
    const prefix = randomUUID()
    const admin = await adminOf(shared)
    const turns: string[] = []
    let inside = 0
    const contend = async (lock: DistributedLock) => {
      for (let rounds = 0; rounds < 100; ) {
        const held = await lock.acquire('report', { ttl: '10m' })
        if (held === null) continue
        inside = Math.max(inside, await admin.incr(`${prefix}:inside`))
        turns.push(lock.instanceId)
        await admin.decr(`${prefix}:inside`)
        expect(await held.release()).toBe(true)
        rounds += 1
      }
    }
    await Promise.all([contend(lockOn(shared, prefix)), contend(lockOn(shared, prefix))])
    expect(inside).toBe(1)
    expect(turns).toHaveLength(200)
    expect(new Set(turns.slice(0, 100)).size).toBe(2)
  })

  it('gives the same answer to the same token: a reply that was lost is asked for again', async () => {
    const locks = await openRedisLocks(shared, randomUUID())
    ends.push(() => locks.close())
    const first = await locks.acquire('report', 'me', 'token', 60_000)
    expect(await locks.acquire('report', 'me', 'token', 60_000)).toEqual(first)
    expect(await locks.acquire('report', 'me', 'another', 60_000)).toBeNull()
  })

  it('is told apart by its prefix', async () => {
    const [one, other] = [lockOn(shared, randomUUID()), lockOn(shared, randomUUID())]
    expect(await one.acquire('report')).not.toBeNull()
    expect(await other.acquire('report')).not.toBeNull()
  })

  it('says what is wrong with a URL, and what to do where nobody answers', async () => {
    await expect(lockOn('http://127.0.0.1', 'p').owner('report')).rejects.toMatchObject({
      code: 'invalid_option',
      field: 'redis',
    })
    await expect(lockOn('redis://:secret@127.0.0.1:1', 'p').owner('report')).rejects.toMatchObject({
      code: 'redis_unavailable',
      kind: 'unavailable',
      message: 'Redis cannot be used: connect ECONNREFUSED 127.0.0.1:1.',
    })
  })
})

describe.skipIf(shared === '')('a Redis that has a hard time', () => {
  let server: Server
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.remove())

  it('never has two holders, though connections are killed all the time', async () => {
    const admin = await adminOf(server.url)
    const fences: number[] = []
    let inside = 0
    const contend = async (lock: DistributedLock) => {
      for (let round = 0; round < 100; round += 1) {
        const held = await taken(lock.acquire('report', { ttl: '10m', blocking: true, timeout: '60s' }))
        inside = Math.max(inside, await admin.incr('inside'))
        fences.push(held.fence)
        await admin.decr('inside')
        // A release without an answer may have been done: asked again, it says false.
        await until('the release', async () => await answered(held.release()))
      }
    }
    const killAll = async () => {
      while (fences.length < 190) {
        const next = fences.length + 10
        await until('some progress', () => fences.length >= next)
        await admin.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
      }
    }
    await Promise.all([contend(lockOn(server.url, 'p')), contend(lockOn(server.url, 'p')), killAll()])
    expect(inside).toBe(1)
    expect(fences).toHaveLength(200)
    expect(fences).toEqual([...new Set(fences)].toSorted((a, b) => a - b))
  })

  it('gives a larger fence after it has forgotten everything, its scripts too', async () => {
    const lock = lockOn(server.url, 'flushed')
    const before = await taken(lock.acquire('report'))
    const admin = await adminOf(server.url)
    await admin.flushAll()
    await admin.scriptFlush()
    const after = await taken(lock.acquire('report'))
    expect(after.fence).toBeGreaterThan(before.fence)
    expect(Number.isSafeInteger(after.fence)).toBe(true)
  })

  it('fails what is asked of it while it is stopped, and serves again by itself', async () => {
    const [one, other] = [lockOn(server.url, 'stopped'), lockOn(server.url, 'stopped')]
    const held = await taken(one.acquire('report', { ttl: '10m' }))
    await server.stop()
    await expect(other.acquire('report')).rejects.toMatchObject({ code: 'redis_unavailable' })
    const waiting = other.acquire('another', { blocking: true, timeout: '60s' })
    await server.start()
    expect(await waiting).not.toBeNull()
    // Its own data is on disk here, so that the lock is still held.
    expect(await other.acquire('report')).toBeNull()
    await until('the release', async () => await answered(held.release()))
    expect(await other.owner('report')).toBeNull()
  })

  it('takes the lock from work that goes on without it for longer than the ttl', async () => {
    const lock = lockOn(server.url, 'lost')
    const work = lock.withLock('report', { ttl: '1s' }, async (signal) => {
      await server.crash()
      await until('the loss', () => signal.aborted)
      return 'done'
    })
    await expect(work).rejects.toMatchObject({ code: 'lock_lost' })
    await server.start()
  })

  it('that hangs is not waited for', async () => {
    const locks = await openRedisLocks(server.url, 'hung', fastHost(20))
    ends.push(() => locks.close())
    await until('the lock', async () => await answered(locks.acquire('report', 'me', 'token', 60_000)))
    process.kill(server.pid, 'SIGSTOP')
    try {
      await expect(locks.read('report')).rejects.toMatchObject({ code: 'redis_unavailable' })
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
    await until('its return', async () => await answered(locks.read('report')))
  })

  it('is asked for a connection at most once a second by a lock, though a balancer accepts and closes', async () => {
    const proxy = await openProxy(server.url)
    ends.push(() => proxy.close())
    const host = fastHost(20)
    const locks = await openRedisLocks(proxy.url, 'closed', host)
    ends.push(() => locks.close())
    await until('the connection', async () => await answered(locks.read('report')))
    const before = proxy.connects
    proxy.mode('reset')
    proxy.mode('accept_and_close')
    await until('the loss', async () => !(await answered(locks.read('report'))))
    const end = host.monotonic() + 60_000
    while (host.monotonic() < end) {
      expect(await answered(locks.read('report'))).toBe(false)
      await nextTurn()
    }
    expect(proxy.connects - before).toBeLessThanOrEqual(60)
    proxy.mode('pass')
    await until('its return', async () => await answered(locks.read('report')))
  })
})

/** Whether Redis was there to answer. */
async function answered(answer: Promise<unknown>): Promise<boolean> {
  try {
    await answer
    return true
  } catch (error) {
    if ((error as EvertickError).code === 'redis_unavailable') return false
    throw error
  }
}
