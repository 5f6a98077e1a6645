import { createClient } from 'redis'
import { requireProgram } from './binaries.ts'
import { type Server, startServer } from './server.ts'

export function startRedis(): Promise<Server> {
  const program = requireProgram('redis', 'redis-server', 'valkey-server')
  return startServer({
    name: 'redis',
    accounts: ['redis'],
    stopSignal: 'SIGTERM',
    crashSignal: 'SIGKILL',
    command: (folder, port) => ({
      program,
      args: settings({
        bind: '127.0.0.1',
        port: String(port),
        dir: folder,
        save: '',
        // It writes the log of commands before it answers, so that what it has answered is there after a crash.
        appendonly: 'yes',
        appendfsync: 'no',
      }),
    }),
    url: (port) => `redis://127.0.0.1:${port}`,
    ping: pingRedis,
  })
}

export async function pingRedis(url: string): Promise<void> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 5_000 } })
  // Without a listener the client's error would end the process; `connect` rejects with it anyway.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
  } finally {
    if (client.isOpen) client.destroy()
  }
}

function settings(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, value])
}
