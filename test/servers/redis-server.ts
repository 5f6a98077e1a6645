/** Redis for a test: an admin's connection to it, and a host whose clock runs fast. */
import { createClient } from 'redis'
import { type Host, processHost } from '../../src/store/host.ts'

export async function connectAdmin(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: () => 50 } })
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Its patience ends twenty times sooner: what takes seconds otherwise is seen in a moment. */
export const impatientHost: Host = {
  ...processHost,
  timer: (ms, callback) => processHost.timer(ms / 20, callback),
}
