/** UUIDv7: ids that sort by creation, and grow within one process even in the same millisecond. */
import { randomFillSync } from 'node:crypto'

/** Random bytes, fetched in bulk: one call per id would cost more than the id. */
const pool = new Uint8Array(8_192)
let used = pool.length
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

let lastAt = 0
let sequence = 0

export function newId(now: number): string {
  const random = nextBytes()
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
  const high = Math.floor(lastAt / 0x1_0000)
  const at = (value: number, shift: number) => hex[(value >>> shift) & 0xff] ?? ''
  const low = lastAt & 0xffff
  const time = at(high, 24) + at(high, 16) + at(high, 8) + at(high, 0)
  const variant = hex[0x80 | ((random[2] ?? 0) & 0x3f)] ?? ''
  const tail = hexOf(random, 4, 10)
  return `${time}-${at(low, 8)}${at(low, 0)}-7${sequence.toString(16).padStart(3, '0')}-${variant}${hex[random[3] ?? 0]}-${tail}`
}

function hexOf(bytes: Uint8Array, from: number, to: number): string {
  let text = ''
  for (let index = from; index < to; index += 1) text += hex[bytes[index] ?? 0]
  return text
}

function nextBytes(): Uint8Array {
  if (used + 10 > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += 10
  return pool.subarray(used - 10, used)
}
