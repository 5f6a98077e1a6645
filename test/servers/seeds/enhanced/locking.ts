/** 7.1: locks on the real Redis. */
import { expect, onTestFinished, test } from 'vitest'
import { DistributedLock } from '../../../../src/index.ts'
import { until } from '../../../process/until.ts'
import { redisUrl, uniqueName } from './stand.ts'

function instances(count: number): DistributedLock[] {
  const prefix = uniqueName()
  return Array.from({ length: count }, () => {
    const lock = new DistributedLock({ redis: redisUrl(), prefix })
    onTestFinished(() => lock.close())
    return lock
  })
}

export function walkLocking(): void {
  test('acquire, extend and release; each instance has an identifier of its own', async () => {
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    expect(one.instanceId).not.toBe(two.instanceId)
    const held = await one.acquire('scan:a.example', { ttl: '30s' })
    expect(await two.owner('scan:a.example')).toMatchObject({ owner: one.instanceId })
    expect(await one.extend('scan:a.example', held?.token ?? '', '60s')).toBe(true)
    const longer = await two.owner('scan:a.example')
    expect((longer?.expiresAt.getTime() ?? 0) - Date.now()).toBeGreaterThan(30_000)
    expect(await held?.release()).toBe(true)
    expect(await two.owner('scan:a.example')).toBeNull()
  })

  test('many instances that run the same job at once: one does', async () => {
    const locks = instances(8)
    const held = await Promise.all(locks.map((lock) => lock.acquire('scan')))
    expect(held.filter((lock) => lock !== null)).toHaveLength(1)
  })

  test('a wrong token releases and extends nothing', async () => {
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    await one.acquire('scan')
    expect(await two.release('scan', 'guessed')).toBe(false)
    expect(await two.extend('scan', 'guessed')).toBe(false)
    expect(await two.owner('scan')).toMatchObject({ owner: one.instanceId })
  })

  test('non-blocking returns at once, blocking waits for its turn or its timeout', async () => {
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    const held = await one.acquire('scan')
    expect(await two.acquire('scan')).toBeNull()
    expect(await two.acquire('scan', { blocking: true, timeout: '200ms' })).toBeNull()
    const waiting = two.acquire('scan', { blocking: true, timeout: '1m' })
    await held?.release()
    expect((await waiting)?.fence).toBeGreaterThan(held?.fence ?? Number.POSITIVE_INFINITY)
  })

  test('it expires by itself, and its late holder is told', async () => {
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    const held = await one.acquire('scan', { ttl: '100ms' })
    await until('the end of its ttl', async () => (await two.acquire('scan')) !== null)
    expect(await held?.release()).toBe(false)
    await expect(held?.extend()).rejects.toMatchObject({ code: 'lock_lost' })
  })

  test('withLock is its context manager: extended while the work goes on, released whatever happens', async () => {
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    const expiries = new Set<number>()
    const result = await one.withLock('scan', { ttl: '200ms' }, async (signal) => {
      await until('two extensions', async () => {
        const owner = await two.owner('scan')
        if (owner !== null) expiries.add(Math.round(owner.expiresAt.getTime() / 60))
        return expiries.size > 4
      })
      return signal.aborted
    })
    expect(result).toBe(false)
    const failing = one.withLock('scan', {}, () => Promise.reject(new Error('the scan failed')))
    await expect(failing).rejects.toThrow('the scan failed')
    expect(await two.owner('scan')).toBeNull()
  })

  test('errors say what is wrong and what to do', async () => {
    const nowhere = new DistributedLock({ redis: 'redis://127.0.0.1:1' })
    await expect(nowhere.acquire('scan')).rejects.toMatchObject({ code: 'redis_unavailable' })
    await nowhere.close()
    const [one, two] = instances(2) as [DistributedLock, DistributedLock]
    await one.acquire('scan')
    await expect(two.withLock('scan', {}, () => null)).rejects.toMatchObject({ code: 'lock_held' })
  })
}
