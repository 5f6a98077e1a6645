/** UUIDv7: ids that sort by creation, and grow within one process even in the same millisecond. */
import { createHash, randomFillSync } from 'node:crypto'

export type NewId = (now: number) => string

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const bytesOfId = 10

/** A process has one source: what it makes grows. */
export function idSource(fill: (bytes: Uint8Array) => void): NewId {
  // Fetched in bulk: one call per id would cost more than the id.
  const pool = new Uint8Array(8_192)
  let used = pool.length
  let lastAt = 0
  let sequence = 0
  return (now) => {
    if (used + bytesOfId > pool.length) {
      fill(pool)
      used = 0
    }
    const random = pool.subarray(used, used + bytesOfId)
    used += bytesOfId
    if (now > lastAt) {
      lastAt = now
      // Half of the space is left to grow into.
      sequence = ((random[0] ?? 0) << 3) | ((random[1] ?? 0) & 7)
    } else {
      sequence += 1
      if (sequence > 0xfff) {
        lastAt += 1
        sequence = 0
      }
    }
    return written(lastAt, sequence, random)
  }
}

export const newId: NewId = idSource(randomFillSync)

/** The same ids in the same order for the same seed: a repeated request makes nothing new. */
export function repeatedIds(at: number, seed: string): NewId {
  let made = 0
  return () => {
    const bytes = createHash('sha256').update(`${made}\n${seed}`).digest()
    made += 1
    return written(at, bytes.readUInt16BE(bytesOfId) & 0xfff, bytes)
  }
}

function written(at: number, sequence: number, random: Uint8Array): string {
  const high = Math.floor(at / 0x1_0000)
  const low = at & 0xffff
  const byte = (value: number, shift: number) => hex[(value >>> shift) & 0xff] ?? ''
  const time = byte(high, 24) + byte(high, 16) + byte(high, 8) + byte(high, 0)
  const variant = hex[0x80 | ((random[2] ?? 0) & 0x3f)] ?? ''
  const tail = hexOf(random, 4, bytesOfId)
  return `${time}-${byte(low, 8)}${byte(low, 0)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${hex[random[3] ?? 0]}-${tail}`
}

function hexOf(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let index = from; index < to; index += 1) text += hex[bytes[index] ?? 0]
  return text
}
