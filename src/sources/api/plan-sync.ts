/** What an answer means for the jobs that its source wrote before. Pure: names and hashes in, a plan out. */
export interface KnownJob {
  readonly name: string
  readonly hash: string | null
  /** It was disabled because an earlier answer no longer had it. */
  readonly removed: boolean
}

export interface SyncPlan {
  readonly added: readonly string[]
  readonly modified: readonly string[]
  readonly unchanged: readonly string[]
  readonly removed: readonly string[]
  /** Missing from the answer, and left alone because the answer cannot be trusted so far. */
  readonly held: readonly string[]
  readonly heldBecause: string | null
}

export interface SyncEvidence {
  readonly known: readonly KnownJob[]
  /** Name and hash of what the answer holds. */
  readonly listed: ReadonlyMap<string, string>
  /** Names that the answer holds, but in a form that cannot be used: they are not missing. */
  readonly unreadable: ReadonlySet<string>
  readonly doubt: string | null
  /** @default half of what is known */
  readonly maxRemovals?: number | undefined
}

export function planSync({ known, listed, unreadable, doubt, maxRemovals }: SyncEvidence): SyncPlan {
  const hashes = new Map(known.map(({ name, hash }) => [name, hash]))
  const names = [...listed.keys()]
  const present = known.filter(({ removed }) => !removed)
  const missing = present.map(({ name }) => name).filter((name) => !listed.has(name) && !unreadable.has(name))
  const limit = maxRemovals ?? Math.floor(present.length / 2)
  const heldBecause = missing.length === 0 ? null : reasonToHold(missing.length, listed.size, limit, doubt)
  return {
    added: names.filter((name) => !hashes.has(name)),
    modified: names.filter((name) => hashes.has(name) && hashes.get(name) !== listed.get(name)),
    unchanged: names.filter((name) => hashes.has(name) && hashes.get(name) === listed.get(name)),
    removed: heldBecause === null ? missing : [],
    held: heldBecause === null ? [] : missing,
    heldBecause,
  }
}

/** An API that fails often fails by answering with less: what it forgot for a moment must not stop for good. */
function reasonToHold(missing: number, listed: number, limit: number, doubt: string | null): string | null {
  if (doubt !== null) return doubt
  if (listed === 0) return 'the answer is empty'
  if (missing > limit) return `${missing} schedules are missing at once, and at most ${limit} may go`
  return null
}
