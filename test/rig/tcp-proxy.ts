/** Stands between a store and its server, and does to the bytes what a bad network does. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type ProxyMode =
  /** Bytes pass both ways. */
  | 'pass'
  /** Nothing passes and nobody hears of it. */
  | 'blackhole'
  /** What is asked arrives, what is answered does not. */
  | 'one_way'
  /** Connections are refused, and open ones reset. */
  | 'reset'
  /** Bytes pass both ways, each a little later. */
  | 'delay'
  /** New connections are accepted and closed without a word, as a balancer does whose server is down; open ones pass. */
  | 'accept_and_close'
  /** New connections are accepted and never answered; open ones pass. */
  | 'silence'

export interface TcpProxy {
  readonly url: string
  /** Connections that were accepted so far. */
  readonly connects: number
  mode(mode: ProxyMode): void
  /** From the next client bytes on that match, such as those of COMMIT, replies are swallowed and the connection is cut. */
  cutAfter(pattern: RegExp): void
  /** What is open now leads nowhere from here on, as behind a firewall that forgets; new connections pass. */
  forget(): void
  close(): Promise<void>
}

const delayMs = 100

interface Pair {
  readonly near: Socket
  readonly far: Socket
  forgotten: boolean
  cut: boolean
}

export async function openProxy(serverUrl: string): Promise<TcpProxy> {
  const target = new URL(serverUrl)
  const pairs = new Set<Pair>()
  /** Those that never get to the server. */
  const stranded = new Set<Socket>()
  let mode: ProxyMode = 'pass'
  let fatal: RegExp | null = null
  let connects = 0

  const server = createServer((near) => {
    connects += 1
    near.on('error', () => {})
    if (mode === 'reset') return void near.resetAndDestroy()
    if (mode === 'accept_and_close') return void near.destroy()
    if (mode === 'silence') {
      stranded.add(near)
      return void near.on('close', () => stranded.delete(near))
    }
    join({ near, far: connect(Number(target.port), target.hostname), forgotten: false, cut: false })
  })

  function join(pair: Pair): void {
    const { near, far } = pair
    pairs.add(pair)
    far.on('error', () => {})
    const cutOff = () => mode === 'blackhole' || pair.forgotten
    for (const socket of [near, far]) {
      socket.on('close', () => {
        if (near.closed && far.closed) pairs.delete(pair)
        // The other side of a dead network does not hear of an end, either.
        if (cutOff()) return
        near.destroy()
        // What the near side sent last still arrives where it was let through.
        far.end()
      })
    }
    near.on('data', (bytes) => {
      if (cutOff()) return
      pass(far, bytes)
      if (fatal === null || pair.cut || !fatal.test(bytes.toString('latin1'))) return
      fatal = null
      pair.cut = true
    })
    far.on('data', (bytes) => {
      // The server has answered, so it has done what it was asked; the client never hears of it.
      if (pair.cut) return void near.resetAndDestroy()
      if (mode !== 'one_way' && !cutOff()) pass(near, bytes)
    })
  }

  function pass(to: Socket, bytes: Buffer): void {
    if (mode === 'delay') setTimeout(() => to.write(bytes), delayMs)
    else to.write(bytes)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(serverUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    get connects() {
      return connects
    },
    mode(next) {
      mode = next
      if (next === 'reset') for (const { near } of pairs) near.resetAndDestroy()
    },
    cutAfter(pattern) {
      fatal = pattern
    },
    forget() {
      for (const pair of pairs) pair.forgotten = true
    },
    async close() {
      for (const socket of [...pairs].flatMap(({ near, far }) => [near, far])) socket.destroy()
      for (const socket of stranded) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
