/** A DistributedLock on a SQLite file: the same promises as on Redis, beside a node on the same file. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DistributedLock, Evertick, type HeldLock } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { temporaryFolder } from '../store/sqlite-store.ts'

let folder: ReturnType<typeof temporaryFolder>
let database: string
const ends: (() => Promise<unknown>)[] = []

beforeEach(() => {
  folder = temporaryFolder()
  database = `sqlite:${join(folder.path, 'locks.db')}`
})
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
  folder.remove()
})

function newLock(prefix?: string): DistributedLock {
  const lock = new DistributedLock({ database, ...(prefix === undefined ? {} : { prefix }) })
  ends.push(() => lock.close())
  return lock
}

async function openNode(): Promise<Evertick> {
  const evertick = await Evertick.open({ database })
  ends.push(() => evertick.stop())
  return evertick
}

async function taken(held: Promise<HeldLock | null>): Promise<HeldLock> {
  const lock = await held
  if (lock === null) throw new Error('Somebody else holds the lock.')
  return lock
}

describe('acquire', () => {
  it('has one holder at a time, and says who', async () => {
    const [one, other] = [newLock(), newLock()]
    const held = await taken(one.acquire('report'))
    expect(held).toMatchObject({ name: 'report', owner: one.instanceId })
    expect(await other.acquire('report')).toBeNull()
    expect(await one.acquire('report')).toBeNull()
    expect(await other.owner('report')).toMatchObject({ owner: one.instanceId, fence: held.fence })
    expect(await held.release()).toBe(true)
    expect(await held.release()).toBe(false)
    expect(await other.owner('report')).toBeNull()
    expect((await taken(other.acquire('report'))).fence).toBeGreaterThan(held.fence)
  })

  it('gives it to another when its ttl is over, and tells the late holder', async () => {
    const [one, other] = [newLock(), newLock()]
    const held = await taken(one.acquire('report', { ttl: '100ms' }))
    const next = await taken(other.acquire('report', { blocking: true, timeout: '1m' }))
    expect(next.fence).toBeGreaterThan(held.fence)
    await expect(held.extend()).rejects.toMatchObject({ code: 'lock_lost' })
    expect(await held.release()).toBe(false)
  })

  it('waits as long as asked, and no longer than its signal', async () => {
    const [one, other] = [newLock(), newLock()]
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

  it('is undone by Symbol.asyncDispose', async () => {
    const lock = newLock()
    const held = await taken(lock.acquire('report'))
    await held[Symbol.asyncDispose]()
    expect(await lock.owner('report')).toBeNull()
  })

  it('shares its names with the locks of a node on the same database', async () => {
    const evertick = await openNode()
    const [lock, apart] = [newLock(), newLock('apart')]
    await evertick.locks.acquire('report', { ttl: '1m' })
    expect(await lock.acquire('report')).toBeNull()
    expect(await lock.owner('report')).toMatchObject({ owner: evertick.nodeId })
    expect((await taken(apart.acquire('report'))).name).toBe('report')
    await expect(lock.acquire('leader')).rejects.toMatchObject({ code: 'invalid_option', field: 'name' })
  })
})

describe('a token', () => {
  it('is needed to extend and to release', async () => {
    const lock = newLock()
    const held = await taken(lock.acquire('report', { ttl: '1m' }))
    expect(await lock.extend('report', 'wrong', '1h')).toBe(false)
    expect(await lock.release('report', 'wrong')).toBe(false)
    const before = await lock.owner('report')
    expect(await lock.extend('report', held.token, '1h')).toBe(true)
    const after = await lock.owner('report')
    expect(Number(after?.expiresAt)).toBeGreaterThan(Number(before?.expiresAt))
    expect(await lock.release('report', held.token)).toBe(true)
    expect(await lock.extend('report', held.token, '1h')).toBe(false)
  })
})

describe('withLock', () => {
  it('gives the result of the work, and the lock back', async () => {
    const lock = newLock()
    const fences = [0, 1].map(() =>
      lock.withLock('report', { blocking: true }, async (signal, { fence }) => {
        expect(signal.aborted).toBe(false)
        return fence
      }),
    )
    const [one = 0, other = 0] = await Promise.all(fences)
    expect(one).not.toBe(other)
    expect(await lock.owner('report')).toBeNull()
  })

  it('keeps the lock for longer than its ttl', async () => {
    const [one, other] = [newLock(), newLock()]
    await one.withLock('report', { ttl: '2s' }, async () => {
      const first = Number((await other.owner('report'))?.expiresAt)
      await until('a life of two ttls', async () => {
        const owner = await other.owner('report')
        return Number(owner?.expiresAt) > first + 2_000
      })
    })
    expect(await other.owner('report')).toBeNull()
  })

  it('refuses where somebody else holds it', async () => {
    const [one, other] = [newLock(), newLock()]
    await one.acquire('report')
    const work = other.withLock('report', {}, () => 'done')
    await expect(work).rejects.toMatchObject({ code: 'lock_held', kind: 'conflict' })
  })

  it('gives the lock back when the work fails, at once or later', async () => {
    const lock = newLock()
    const failing = () => {
      throw new Error('broken')
    }
    await expect(lock.withLock('report', {}, failing)).rejects.toThrow('broken')
    await expect(lock.withLock('report', {}, async () => failing())).rejects.toThrow('broken')
    expect(await lock.owner('report')).toBeNull()
  })

  it('stops the work when the lock is taken away', async () => {
    const evertick = await openNode()
    const lock = newLock()
    const work = lock.withLock('report', { ttl: '1s' }, async (signal) => {
      await evertick.locks.release('report')
      await until('the loss', () => signal.aborted)
      return 'done, perhaps by two'
    })
    await expect(work).rejects.toMatchObject({ code: 'lock_lost' })
  })

  it('hands its own signal to the work', async () => {
    const lock = newLock()
    const leaving = new AbortController()
    const work = lock.withLock('report', { signal: leaving.signal }, async (signal) => {
      leaving.abort(new Error('left'))
      signal.throwIfAborted()
    })
    await expect(work).rejects.toThrow('left')
    expect(await lock.owner('report')).toBeNull()
  })
})

describe('the options', () => {
  it.each([
    ['neither', {}],
    ['both', { redis: 'redis://localhost', database: 'sqlite::memory:' }],
    ['an empty one', { redis: '' }],
    ['an unknown one', { redis: 'redis://localhost', prefx: 'p' }],
  ])('are refused with %s', (_what, options) => {
    expect(() => new DistributedLock(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  })

  it.each([
    ['name', '', {}],
    ['timeout', 'report', { timeout: '1s' }],
    ['ttl', 'report', { ttl: '1ms' }],
    ['wait', 'report', { wait: '1s' }],
  ] as const)('of a call are refused with a bad %s', async (field, name, options: object) => {
    await expect(newLock().acquire(name, options)).rejects.toMatchObject({ code: 'invalid_option', field })
  })
})

describe('the connection', () => {
  it('is made at the first use, and none is after the end', async () => {
    const lock = newLock()
    expect(existsSync(join(folder.path, 'locks.db'))).toBe(false)
    await lock.acquire('report')
    expect(existsSync(join(folder.path, 'locks.db'))).toBe(true)
    await lock.close()
    await lock[Symbol.asyncDispose]()
    await expect(lock.acquire('report')).rejects.toMatchObject({ code: 'not_running' })
  })

  it('is tried again after it could not be made', async () => {
    const lock = new DistributedLock({ database: `sqlite:${join(folder.path, 'none', 'locks.db')}` })
    ends.push(() => lock.close())
    await expect(lock.owner('report')).rejects.toMatchObject({ kind: 'unavailable' })
    await expect(lock.owner('report')).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
