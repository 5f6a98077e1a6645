/** Stands between a store and its server, and does to the bytes what a bad network does. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type ProxyMode =
  /** Bytes pass both ways. */
  | 'pass'
  /** Nothing passes and nobody hears of it. */
  | 'blackhole'
  /** Connections are refused, and open ones reset. */
  | 'reset'
  /** What is asked arrives, what is answered does not. */
  | 'swallow_replies'

export interface TcpProxy {
  readonly url: string
  mode(mode: ProxyMode): void
  /** From the next client bytes on that match, replies are swallowed and the connection is cut. */
  cutAfter(pattern: RegExp): void
  close(): Promise<void>
}

export async function openProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl)
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let mode: ProxyMode = 'pass'
  let fatal: RegExp | null = null

  const server = createServer((near) => {
    if (mode === 'reset') return void near.resetAndDestroy()
    const far = connect(Number(target.port), target.hostname)
    const pair = { near, far }
    let cut = false
    pairs.add(pair)
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        near.destroy()
        // What the near side sent last still arrives where it was let through.
        far.end()
      })
    }
    near.on('data', (bytes) => {
      if (mode === 'blackhole') return
      far.write(bytes)
      if (fatal === null || cut || !fatal.test(bytes.toString('latin1'))) return
      fatal = null
      cut = true
    })
    far.on('data', (bytes) => {
      // The server has answered, so it has done what it was asked; the client never hears of it.
      if (cut) return void near.resetAndDestroy()
      if (mode === 'pass') near.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    mode(next) {
      mode = next
      if (next === 'reset') for (const { near } of pairs) near.resetAndDestroy()
    },
    cutAfter(pattern) {
      fatal = pattern
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      server.close()
      await once(server, 'close')
    },
  }
}
