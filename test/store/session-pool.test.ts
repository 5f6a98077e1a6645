/** Who hears first of a server that has fallen silent. */
import { expect, test } from 'vitest'
import type { Host } from '../../src/store/host.ts'
import type { Dialect } from '../../src/store/sql/runtime/dialect.ts'
import { Dialer } from '../../src/store/sql/runtime/dialer.ts'
import type { Session } from '../../src/store/sql/runtime/server-session.ts'
import { answered, openSessions, type SessionParts } from '../../src/store/sql/runtime/session-pool.ts'

/** Time stands still until it is told to go on. */
function manualHost() {
  let now = 0
  let timers: { readonly at: number; readonly callback: () => void }[] = []
  const host: Host = {
    defer: (callback) => void setImmediate(callback),
    rest: async () => {},
    sleep: async () => {},
    timer: (ms, callback) => {
      const timer = { at: now + ms, callback }
      timers.push(timer)
      return () => {
        timers = timers.filter((one) => one !== timer)
      }
    },
    monotonic: () => now,
    random: () => 0,
  }
  const pass = async (ms: number) => {
    now += ms
    for (const { callback } of timers.filter(({ at }) => at <= now)) callback()
    for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return { host, pass }
}

test('whoever has the connection is told, and whoever waits for it gets another', async () => {
  const { host, pass } = manualHost()
  let opened = 0
  const connections = {
    open: async () => {
      opened += 1
      return { connection: { stream: { ref: () => {}, unref: () => {} } } }
    },
    check: async () => {},
    end: async () => {},
    destroy: () => {},
  }
  const pool = openSessions(
    connections,
    { size: 1, answerMs: 5_000, transactionMs: null },
    { dialect: {} as Dialect, dialer: new Dialer(host), host },
    (_, parts) => parts as unknown as Session,
  )
  const user = (await pool.acquire()) as unknown as SessionParts
  const waiting = pool.acquire().then(
    () => 'has one',
    (error: unknown) => error,
  )
  // Its statement was sent a moment after the other began to wait.
  const told = answered(user, new Promise(() => {})).catch((error: unknown) => {
    user.release(true)
    return error
  })
  await pass(5_000)
  expect(await told).toBeInstanceOf(Error)
  expect(await waiting).toBe('has one')
  expect(opened).toBe(2)
})
