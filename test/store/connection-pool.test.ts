/** The pool of the MySQL engine, on connections that are only numbers. */
import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/store/host.ts'
import { ConnectionPool } from '../../src/store/sql/connection-pool.ts'

interface Numbered {
  readonly number: number
}

/** Time stands still until it is told to go on. */
function bench(size: number) {
  let now = 0
  let opened = 0
  let refuses = false
  const timers: { readonly at: number; readonly callback: () => void }[] = []
  const log: string[] = []
  const lost: ((connection: Numbered) => void)[] = []
  const host: Host = {
    defer: (callback) => void setImmediate(callback),
    rest: () => new Promise(() => {}),
    sleep: () => new Promise(() => {}),
    timer: (ms, callback) => {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => void timers.splice(timers.indexOf(timer), 1)
    },
    monotonic: () => now,
    random: () => 0,
  }
  const pool = new ConnectionPool<Numbered>(
    { size, waitMs: 1_000 },
    {
      open: async (onLost) => {
        lost.push(onLost)
        if (refuses) throw new Error('refused')
        opened += 1
        return { number: opened }
      },
      end: async ({ number }) => void log.push(`end ${number}`),
      destroy: ({ number }) => void log.push(`destroy ${number}`),
      rest: () => {},
    },
    host,
  )
  return {
    pool,
    log,
    lose: (connection: Numbered) => lost[0]?.(connection),
    refuse: (yes: boolean) => {
      refuses = yes
    },
    pass: (ms: number) => {
      now += ms
      for (const timer of timers.filter(({ at }) => at <= now)) timer.callback()
    },
    timers,
  }
}

describe('the pool of the MySQL engine', () => {
  test('opens no more than it may, and hands on in the order of asking', async () => {
    const { pool, timers } = bench(2)
    const [first, second] = [await pool.acquire(), await pool.acquire()]
    const waiting = [pool.acquire(), pool.acquire()]
    pool.release(second, false)
    pool.release(first, false)
    expect(await Promise.all(waiting)).toEqual([second, first])
    expect(timers).toEqual([])
  })

  test('nobody waits for ever', async () => {
    const { pool, pass } = bench(1)
    const used = await pool.acquire()
    const waiting = pool.acquire()
    pass(1_000)
    await expect(waiting).rejects.toMatchObject({ code: 'POOL_EXHAUSTED' })
    pool.release(used, false)
    expect(await pool.acquire()).toBe(used)
  })

  test('a broken one is not used again: who waits gets a new one', async () => {
    const { pool, log } = bench(1)
    const used = await pool.acquire()
    const waiting = pool.acquire()
    pool.release(used, true)
    expect(await waiting).toEqual({ number: 2 })
    expect(log).toEqual(['destroy 1'])
  })

  test('one that cannot be opened leaves its place to the next', async () => {
    const { pool, refuse } = bench(1)
    refuse(true)
    await expect(pool.acquire()).rejects.toThrow('refused')
    refuse(false)
    expect(await pool.acquire()).toEqual({ number: 1 })
  })

  test('one that breaks while it rests is forgotten', async () => {
    const { pool, lose } = bench(1)
    const used = await pool.acquire()
    pool.release(used, false)
    lose(used)
    expect(await pool.acquire()).toEqual({ number: 2 })
  })

  test('what a burst has opened is given back when it has rested for long', async () => {
    const { pool, pass, log } = bench(3)
    const burst = [await pool.acquire(), await pool.acquire(), await pool.acquire()]
    for (const connection of burst) pool.release(connection, false)
    pass(50_000)
    pool.release(await pool.acquire(), false)
    pass(20_000)
    pool.release(await pool.acquire(), false)
    expect(log).toEqual(['end 1', 'end 2'])
  })

  test('its end waits for those in use, and refuses those who wait', async () => {
    const { pool, log } = bench(2)
    const [used, rested] = [await pool.acquire(), await pool.acquire()]
    pool.release(rested, false)
    const again = await pool.acquire()
    const waiting = pool.acquire()
    pool.release(again, false)
    pool.release(await waiting, false)
    const refused = [await pool.acquire()]
    const late = pool.acquire()
    let closed = false
    const close = async () => {
      await pool.close()
      closed = true
    }
    const closing = close()
    await expect(late).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    await expect(pool.acquire()).rejects.toMatchObject({ code: 'POOL_CLOSED' })
    for (const connection of refused) pool.release(connection, false)
    expect(closed).toBe(false)
    pool.release(used, false)
    await closing
    expect(log.sort()).toEqual(['end 1', 'end 2'])
  })
})
