/** Private Redis servers: one with the program's own defaults, one that syncs its log before it answers. */
import { createClient } from 'redis'
import { requireProgram } from '../../test/services/binaries.ts'
import { pingRedis } from '../../test/services/redis.ts'
import { startServer } from '../../test/services/server.ts'
import type { Scratch, Store } from './stores.ts'

const kept = ['appendonly', 'appendfsync', 'save']

export async function openRedis({ always }: { always: boolean }): Promise<Store> {
  const program = requireProgram('redis', 'redis-server', 'valkey-server')
  const durable = always ? ['--appendonly', 'yes', '--appendfsync', 'always'] : []
  const server = await startServer({
    name: always ? 'redis-always' : 'redis',
    accounts: ['redis'],
    stopSignal: 'SIGTERM',
    crashSignal: 'SIGKILL',
    command: (folder, port) => ({
      program,
      args: ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...durable],
    }),
    url: (port) => `redis://127.0.0.1:${port}`,
    ping: pingRedis,
  })
  const client = await createClient({ url: server.url }).connect()
  return {
    async settings() {
      const version = /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? '?'
      const found = await client.configGet(kept)
      return [version, ...kept.map((name) => `${name}=${found[name] || "''"}`)].join(', ')
    },
    /** There is one for all, emptied after each. */
    async scratch(): Promise<Scratch> {
      return { url: server.url, drop: async () => void (await client.flushAll()) }
    },
    async close() {
      client.destroy()
      await server.remove()
    },
  }
}
