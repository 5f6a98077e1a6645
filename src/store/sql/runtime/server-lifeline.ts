/** A lifeline to a server: a connection outside of every pool, and a lock that the server frees when it ends. */
import type { Host } from '../../host.ts'
import { inTime } from '../../in-time.ts'
import { keepAsking } from '../../keep-asking.ts'
import type { Tied } from '../../lifeline.ts'
import { type Connections, connectMs, socketOf } from './session-pool.ts'

/** How long a goodbye waits for its answer. */
const endMs = 1_000

export async function tieToServer<Client extends object>(
  {
    connections,
    lock,
    host,
  }: {
    readonly connections: Connections<Client>
    /** Takes a lock that ends with the connection, and returns its name. */
    readonly lock: (client: Client) => Promise<string>
    readonly host: Host
  },
  onCut: () => void,
): Promise<Tied> {
  const client = await connections.open(() => {})
  try {
    const name = await inTime(host, connectMs, lock(client))
    const socket = socketOf(client)
    // It may have closed right behind the answer.
    if (socket.destroyed) throw new Error('The connection was lost.')
    const stopAsking = keepAsking(
      host,
      () => connections.check(client),
      () => connections.destroy(client),
    )
    const closed = () => {
      stopAsking()
      onCut()
    }
    socket.once('close', closed)
    return {
      name,
      async cut() {
        socket.off('close', closed)
        stopAsking()
        await inTime(host, endMs, connections.end(client)).catch(() => connections.destroy(client))
      },
    }
  } catch (error) {
    connections.destroy(client)
    throw error
  }
}
