/** MySQL's own: what follows from what the server says of itself, its version and its longest statement. */
import { EvertickError } from '../../core/error.ts'
import type { PayloadLimit } from '../open-store.ts'
import { packetsShare, smallestPacket } from './batch.ts'

/** By bytes, and trailing spaces count. What is older than these has no SKIP LOCKED or no JSON_TABLE. */
export function collationOf(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  const isMariadb = /mariadb/i.test(version)
  const isOld = isMariadb ? major < 10 || (major === 10 && minor < 6) : major < 8
  if (isOld) {
    throw new EvertickError('unsupported_database', `Evertick does not run on ${version}.`, {
      field: 'database',
      next: 'Use MariaDB 10.6 or MySQL 8.0, or a later one.',
    })
  }
  return isMariadb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}

/** What fits into a statement whatever its letters are: see chunksOf. */
export function payloadLimit(packetBytes: number): PayloadLimit {
  if (packetBytes >= smallestPacket) {
    return {
      maxBytes: Math.floor(packetBytes / packetsShare),
      nextFor: (bytes) => `Set max_allowed_packet of the server to ${bytes * packetsShare} or more.`,
    }
  }
  throw new EvertickError(
    'unsupported_database',
    `The server takes statements of ${packetBytes} bytes at most (max_allowed_packet), which is too little.`,
    { field: 'database', next: 'Set max_allowed_packet to 16M, the default, or at least to 1M.' },
  )
}
