/** The pool of the servers' engines, on connections that are only numbers. */
import { describe, expect, test } from 'vitest'
import type { Host } from '../../src/store/host.ts'
import { ConnectionPool } from '../../src/store/sql/runtime/connection-pool.ts'
import { Dialer } from '../../src/store/sql/runtime/dialer.ts'

interface Numbered {
  readonly number: number
}

/** Time stands still until it is told to go on. */
function bench(size: number) {
  let now = 0
  let opened = 0
  let tries = 0
  let refuses = false
  let silent = false
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
        tries += 1
        if (refuses) throw new Error('refused')
        opened += 1
        return { number: opened }
      },
      check: () => (silent ? new Promise(() => {}) : Promise.resolve()),
      end: async ({ number }) => void log.push(`end ${number}`),
      destroy: ({ number }) => void log.push(`destroy ${number}`),
      rest: () => {},
    },
    { dialer: new Dialer(host), host },
  )
  return {
    pool,
    log,
    lose: (connection: Numbered) => lost[0]?.(connection),
    refuse: (yes: boolean) => {
      refuses = yes
    },
    fallSilent: () => {
      silent = true
    },
    tries: () => tries,
    /** Whatever is waited for by then has been. */
    pass: async (ms: number) => {
      const until = now + ms
      await settled()
      for (;;) {
        const due = timers.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        now = Math.max(now, due.at)
        timers.splice(timers.indexOf(due), 1)
        due.callback()
        await settled()
      }
      now = until
    },
    timers,
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('the pool of connections to a server', () => {
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
    const waiting = pool.acquire().catch((error: unknown) => error)
    await pass(1_000)
    expect(await waiting).toMatchObject({ code: 'POOL_EXHAUSTED' })
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

  test('one that cannot be opened leaves its place to the next, who waits for the pause', async () => {
    const { pool, refuse, pass } = bench(1)
    refuse(true)
    await expect(pool.acquire()).rejects.toThrow('refused')
    refuse(false)
    const next = pool.acquire()
    await pass(100)
    expect(await next).toEqual({ number: 1 })
  })

  test('while a server refuses there is one try at a time, in pauses that grow, and all who wait share its outcome', async () => {
    const { pool, refuse, pass, tries, timers } = bench(4)
    refuse(true)
    let refused = 0
    for (let second = 0; second < 60; second += 1) {
      for (let caller = 0; caller < 20; caller += 1) pool.acquire().catch(() => (refused += 1))
      await pass(1_000)
    }
    // Four when nothing was known, then pauses of at least 50, 100, 200, 400, 800 ms, and then of a second.
    expect(tries()).toBeLessThanOrEqual(4 + 5 + 60)
    await pass(2_000)
    expect(refused).toBe(20 * 60)
    refuse(false)
    const [first, second] = [pool.acquire(), pool.acquire()]
    await pass(2_000)
    expect(new Set([await first, await second]).size).toBe(2)
    expect(timers).toEqual([])
  })

  test('one that has rested is asked first: where it does not answer, all that rest are replaced', async () => {
    const { pool, pass, log, fallSilent } = bench(3)
    const rested = [await pool.acquire(), await pool.acquire(), await pool.acquire()]
    for (const connection of rested) pool.release(connection, false)
    fallSilent()
    expect(await pool.acquire()).toEqual({ number: 3 })
    await pass(1_000)
    const next = pool.acquire()
    await pass(2_000)
    expect(await next).toEqual({ number: 4 })
    expect(log.sort()).toEqual(['destroy 1', 'destroy 2'])
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
    await pass(50_000)
    pool.release(await pool.acquire(), false)
    await pass(20_000)
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

  test('its end waits for its grace only: then it cuts off what is in use', async () => {
    const { pool, pass, log } = bench(2)
    const used = await pool.acquire()
    const closing = pool.close(500)
    await pass(500)
    await closing
    pool.release(used, true)
    expect(log).toEqual(['destroy 1'])
  })
})
