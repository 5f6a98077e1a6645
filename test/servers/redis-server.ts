/** Redis for a test: an admin's connection to it. */
import { createClient } from 'redis'

export async function connectAdmin(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: () => 50 } })
  client.on('error', () => {})
  await client.connect()
  return client
}
