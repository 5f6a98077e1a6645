/** Clients of the API: real sockets that are kept, one request under way on each. Anything but a success ends it. */
import { Agent, request } from 'node:http'
import { quantile } from '../measure.ts'
import type { Load, Loaded } from './child-api.ts'

const { port, token, clients, method, paths, body, warmUpMs, ms } = JSON.parse(
  process.argv[2] ?? '{}',
) as Load
const agent = new Agent({ keepAlive: true, maxSockets: clients })
const headers = {
  authorization: `Bearer ${token}`,
  ...(body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
}
let asked = 0

async function ask(): Promise<void> {
  const path = paths[asked++ % paths.length] ?? '/'
  await new Promise<void>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers }, (answer) => {
      answer.on('end', resolve).on('error', reject).resume()
      if ((answer.statusCode ?? 500) >= 300) reject(new Error(`${method} ${path}: ${answer.statusCode}`))
    })
    sent.on('error', reject)
    sent.end(body ?? undefined)
  })
}

async function run(): Promise<Loaded> {
  const begin = performance.now() + warmUpMs
  const end = begin + ms
  const times: number[] = []
  const client = async () => {
    for (let at = performance.now(); at < end; ) {
      await ask()
      const now = performance.now()
      if (now >= begin && now <= end) times.push(now - at)
      at = now
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  if (times.length === 0) throw new Error(`${method} ${paths[0]}: no answer within ${ms} ms`)
  return { perSecond: (times.length * 1_000) / ms, p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
}

process.send?.((await run()) satisfies Loaded)
agent.destroy()
process.disconnect()
