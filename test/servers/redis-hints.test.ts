/** Hints over Redis: heard by others, few, and missed without harm. */
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, inject, it } from 'vitest'
import type { Hints, HintTopic } from '../../src/store/hints.ts'
import { type Host, processHost } from '../../src/store/host.ts'
import { openRedisHints } from '../../src/store/open-store.ts'
import { until } from '../process/until.ts'
import { fastHost } from '../rig/fast-host.ts'
import { openProxy } from '../rig/tcp-proxy.ts'
import { startRedis } from '../services/redis.ts'
import { connectAdmin } from './redis-server.ts'

const shared = inject('redisUrl') ?? ''
const ends: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

interface Ear {
  readonly hints: Hints
  readonly heard: HintTopic[]
}

/** What it hears when its connection is made is not noted: everything may be worth a look then. */
async function openEar(url: string, namespace: string, host: Host = processHost): Promise<Ear> {
  const hints = await openRedisHints(url, { namespace, sender: randomUUID() }, host)
  ends.push(() => hints.close())
  await until('the subscription', () => hints.live)
  const heard: HintTopic[] = []
  hints.listen((topic) => heard.push(topic))
  return { hints, heard }
}

/** Counts the messages of a namespace. */
async function count(url: string, namespace: string): Promise<string[]> {
  const admin = await connectAdmin(url)
  ends.push(() => admin.close())
  const messages: string[] = []
  await admin.subscribe(`evertick:${namespace}`, (message) => messages.push(message))
  return messages
}

describe.skipIf(shared === '')('hints', () => {
  it('are heard by other nodes of the same namespace, not by the one that says them', async () => {
    const namespace = randomUUID()
    const one = await openEar(shared, namespace)
    const other = await openEar(shared, namespace)
    const stranger = await openEar(shared, randomUUID())
    one.hints.send('work')
    one.hints.send('leader')
    await until('the hint', () => other.heard.length === 2)
    other.hints.send('jobs')
    await until('the answer', () => one.heard.length === 1)
    expect([one.heard, other.heard, stranger.heard]).toEqual([['jobs'], ['work', 'leader'], []])
  })

  it('are not heard any more by a listener that was taken off', async () => {
    const namespace = randomUUID()
    const one = await openEar(shared, namespace)
    const other = await openEar(shared, namespace)
    const heard: HintTopic[] = []
    other.hints.listen((topic) => heard.push(topic))()
    one.hints.send('work')
    await until('the hint', () => other.heard.length === 1)
    expect(heard).toEqual([])
  })

  it('of one moment become one message at once, and one for what is said soon after', async () => {
    const namespace = randomUUID()
    const messages = await count(shared, namespace)
    const pauses: (() => void)[] = []
    const { hints } = await openEar(shared, namespace, {
      ...processHost,
      timer: (ms, callback) =>
        ms > 10 ? processHost.timer(ms, callback) : (pauses.push(callback), () => {}),
    })
    const burst = () => {
      for (let n = 0; n < 1_000; n += 1) hints.send(n % 2 === 0 ? 'work' : 'jobs')
    }
    burst()
    await until('the first message', () => messages.length >= 1)
    burst()
    await nextTurn()
    burst()
    await nextTurn()
    pauses.shift()?.()
    await until('the second message', () => messages.length >= 2)
    // Nothing more was said: the next topic need not wait.
    pauses.shift()?.()
    hints.send('leader')
    await until('the third message', () => messages.at(-1)?.startsWith('leader') ?? false)
    expect(messages.map((message) => message.split(' ')[0])).toEqual(['work,jobs', 'work,jobs', 'leader'])
  })

  it('that are said right before the end are still sent', async () => {
    const namespace = randomUUID()
    const one = await openEar(shared, namespace)
    const other = await openEar(shared, namespace)
    one.hints.send('leader')
    await one.hints.close()
    await until('the last hint', () => other.heard.includes('leader'))
    expect(one.hints.live).toBe(false)
    one.hints.send('work')
  })

  it('cost nobody anything while Redis was never there', async () => {
    const hints = await openRedisHints('redis://127.0.0.1:1', { namespace: 'n', sender: 'me' })
    hints.send('work')
    expect(hints.live).toBe(false)
    await hints.close()
  })

  it('stop with Redis and come back with it, and then all is worth a look', async () => {
    const server = await startRedis()
    ends.push(() => server.remove())
    const one = await openEar(server.url, 'n')
    const other = await openEar(server.url, 'n')
    await server.stop()
    await until('the loss', () => !one.hints.live && !other.hints.live)
    one.hints.send('work')
    await server.start()
    await until('the return', () => one.hints.live && other.hints.live)
    expect([one.heard, other.heard].map((topics) => topics.slice(0, 3))).toEqual([
      ['work', 'jobs', 'leader'],
      ['work', 'jobs', 'leader'],
    ])
  })

  it('are known to be dead when Redis hangs', async () => {
    const server = await startRedis()
    ends.push(() => server.remove())
    const { hints } = await openEar(server.url, 'n', fastHost(20))
    process.kill(server.pid, 'SIGSTOP')
    try {
      await until('the loss', () => !hints.live)
    } finally {
      process.kill(server.pid, 'SIGCONT')
    }
    await until('the return', () => hints.live)
    expect(hints.live).toBe(true)
  })

  it('are looked for at most once a second, though a balancer accepts and closes, or lets in and hangs up', async () => {
    const proxy = await openProxy(shared)
    ends.push(() => proxy.close())
    const host = fastHost(20)
    const { hints } = await openEar(proxy.url, randomUUID(), host)
    const minute = async (each: () => void) => {
      const [before, end] = [proxy.connects, host.monotonic() + 60_000]
      while (host.monotonic() < end) {
        each()
        await nextTurn()
      }
      expect(proxy.connects - before).toBeLessThanOrEqual(60)
    }
    proxy.mode('reset')
    proxy.mode('accept_and_close')
    await minute(() => {})
    proxy.mode('pass')
    await minute(() => {
      if (!hints.live) return
      proxy.mode('reset')
      proxy.mode('pass')
    })
    await until('the return', () => hints.live)
  })
})
