import { stableHash } from '../../stable-hash.ts'

/**
 * The `H` of a cron field: a value in `[0, span)` that looks random, and is the same for the same key on every node
 * and at every start, so that a hundred jobs written `H * * * *` spread over the hour instead of piling up at :00.
 * Murmur3's finaliser comes on top because FNV alone leaves the low bits of similar names alike.
 * This function is part of the stored meaning of a schedule: changing it moves every hashed job.
 */
export function hashedPlace(key: string, span: number): number {
  let hash = stableHash(key)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % span
}
