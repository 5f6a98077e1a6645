/**
 * Within step 3 of the flow: what an execution shares with others. A limit says how many of those that carry one key may run
 * at once, or start within a span.
 */

/** At most `count` starts within any `perMs`. */
export interface Rate {
  readonly count: number
  readonly perMs: number
}

/** null: no such bound. */
export interface LimitNumbers {
  readonly concurrency: number | null
  readonly rate: Rate | null
}

/** Of a limit that is gone, while something still carries its key. */
export const noNumbers: LimitNumbers = { concurrency: null, rate: null }

/** One of a job: the name of one that the cluster shares, or its own, by a value of each execution. */
export type JobLimit = string | OwnLimit
export interface OwnLimit extends LimitNumbers {
  /** `input.customer`, `metadata.tenant`; null: one key for the whole job. */
  readonly by: string | null
}

/** A job's own limit is told from one that is shared by the slash, which no name has. */
export function limitId(jobId: string, limit: JobLimit): string {
  return typeof limit === 'string' ? limit : `${jobId}/${limit.by ?? ''}`
}

/** The path that a limit goes by; null for one that is shared, or has one key for the whole job. */
export function limitPath(id: string): string | null {
  const [, path = ''] = id.split('/')
  return path === '' ? null : path
}

interface Carried {
  readonly input: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The value at a path as JSON. What is missing is a value of its own, and so a key of its own. */
export function keyValue(path: string | null, { input, metadata }: Carried): string {
  if (path === null) return ''
  const [root, ...names] = path.split('.')
  let value: unknown = root === 'input' ? input : metadata
  for (const name of names) {
    const has = typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    value = has ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  }
  return value === undefined ? '' : (JSON.stringify(value) ?? '')
}

/** What a key's row says, and what hangs on it, once it is held. */
export interface KeyState extends LimitNumbers {
  readonly running: number
  /** Released, and expected to take their shares at any moment. */
  readonly released: number
  /** How many have ever started under its rate, and when: by the number of the start. What is not known is long ago. */
  readonly starts: number
  readonly startedAt: ReadonlyMap<number, number>
}

/** How long a release counts that nobody claims: its queue may be paused, or its handler be nowhere. */
export const releaseCountsMs = 1_000

/** Tokens of a rate are given out ahead, so that somebody comes for them at their instants: the first one in any case. */
export const tokensAheadMs = 6_000

/** More are released by the next look. */
const mostReleases = 200

/**
 * When the next one may start by the rate. An instant ahead of now, which a clock wrote that was set back since, counts as
 * now: else nothing would start until then.
 */
export function nextStartAt(
  { rate, starts, startedAt }: Pick<KeyState, 'rate' | 'starts' | 'startedAt'>,
  now: number,
): number {
  const before = rate === null ? undefined : startedAt.get(starts + 1 - rate.count)
  return rate === null || before === undefined ? now : Math.max(now, Math.min(before, now) + rate.perMs)
}

export function isFull(key: KeyState, now: number): boolean {
  return (key.concurrency !== null && key.running >= key.concurrency) || nextStartAt(key, now) > now
}

/** The key once one has begun. */
export function withStart(key: KeyState, at: number): KeyState {
  const running = key.running + 1
  if (key.rate === null) return { ...key, running }
  const starts = key.starts + 1
  return { ...key, running, starts, startedAt: new Map([...key.startedAt, [starts, at]]) }
}

/** From when on each of those may start that leave the list now: as many as there is room for beyond what is released. */
export function releasesOf(key: KeyState, now: number): number[] {
  const free = key.concurrency === null ? mostReleases : key.concurrency - key.running
  const instants: number[] = []
  let ahead = key
  for (let index = 0; index < Math.min(free, mostReleases); index += 1) {
    const at = nextStartAt(ahead, now)
    if (index > 0 && at > now + tokensAheadMs) break
    ahead = withStart(ahead, at)
    // The first of them are for what is released already.
    if (index >= key.released) instants.push(at)
  }
  return instants
}
