/**
 * The state file's text: what other programs wrote is read, too, and what was damaged is told from what is whole.
 * Pure.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'

export interface SavedTick {
  readonly scheduledFor: string
  readonly attempt: number
}

/** The keys of the format first; those that follow are ours, and a file without them is read as well. */
export interface SavedJob {
  readonly name: string
  readonly schedule: string
  readonly enabled: boolean
  readonly catchUp: boolean
  readonly maxMissedRuns: number
  readonly currentRunCount: number
  readonly lastRun: string | null
  readonly nextRun: string | null
  readonly timezone?: string | undefined
  readonly protect?: boolean | undefined
  /** Every tick before it is settled. */
  readonly settledUntil?: string | undefined
  /** Ticks before it whose run had not ended. */
  readonly unfinished?: readonly SavedTick[] | undefined
  /** Of the definition that the code gave: as long as it is the same, what an operator changed holds. */
  readonly definition?: string | undefined
}

export interface SavedState {
  readonly timestamp: string
  readonly jobs: readonly SavedJob[]
}

export type ReadState =
  | { readonly kind: 'whole'; readonly state: SavedState }
  | { readonly kind: 'damaged'; readonly why: string }
  /** Written by a program that knows more than this one. */
  | { readonly kind: 'foreign'; readonly version: string }

const version = '1.0'

const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'is no instant')
const count = z.int().min(0)
const job = z.looseObject({
  name: z.string().min(1),
  schedule: z.string().min(1),
  enabled: z.boolean(),
  catchUp: z.boolean(),
  maxMissedRuns: count,
  currentRunCount: count,
  lastRun: instant.nullish().transform((text) => text ?? null),
  nextRun: instant.nullish().transform((text) => text ?? null),
  timezone: z.string().optional(),
  protect: z.boolean().optional(),
  settledUntil: instant.optional(),
  unfinished: z.array(z.looseObject({ scheduledFor: instant, attempt: count })).optional(),
  definition: z.string().optional(),
})
const file = z.looseObject({
  version: z.literal(version),
  timestamp: instant,
  jobs: z.array(job),
  checksum: z.string().optional(),
})

export function formatState({ timestamp, jobs }: SavedState): string {
  const body = { version, timestamp, jobs }
  return `${JSON.stringify({ ...body, checksum: checksumOf(body) }, null, 2)}\n`
}

export function parseState(text: string): ReadState {
  let written: unknown
  try {
    written = JSON.parse(text)
  } catch {
    return { kind: 'damaged', why: text.trim() === '' ? 'it is empty' : 'it is no JSON' }
  }
  const other = otherVersion(written)
  if (other !== null) return { kind: 'foreign', version: other }
  const parsed = file.safeParse(written)
  if (!parsed.success) return { kind: 'damaged', why: issueOf(parsed.error) }
  const { timestamp, jobs, checksum } = parsed.data
  // Of what is written, not of what was made of it: only then a changed digit shows.
  if (checksum !== undefined && checksum !== checksumOf(bodyOf(written))) {
    const why = 'its checksum does not match (whoever edits it by hand removes the checksum)'
    return { kind: 'damaged', why }
  }
  const why = checksum === undefined ? (strangeKey(parsed.data) ?? impossible({ timestamp, jobs })) : null
  return why === null ? { kind: 'whole', state: { timestamp, jobs } } : { kind: 'damaged', why }
}

function otherVersion(written: unknown): string | null {
  if (typeof written !== 'object' || written === null || !('version' in written)) return null
  const found = written.version
  return typeof found === 'string' && /^\d+\.\d+$/.test(found) && found !== version ? found : null
}

function bodyOf(written: unknown): unknown {
  const { version, timestamp, jobs } = written as Record<string, unknown>
  return { version, timestamp, jobs }
}

function checksumOf(body: unknown): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16)
}

/** The key of the checksum may itself be what was damaged. */
function strangeKey(written: object): string | null {
  const known = Object.keys(file.shape)
  const strange = Object.keys(written).find((key) => !known.includes(key))
  return strange === undefined ? null : `it has the unknown key ${JSON.stringify(strange)} and no checksum`
}

/** A file without a checksum can still contradict itself. */
function impossible({ timestamp, jobs }: SavedState): string | null {
  if (new Set(jobs.map(({ name }) => name)).size < jobs.length) return 'it names a job twice'
  const late = jobs.find(({ lastRun }) => lastRun !== null && Date.parse(lastRun) > Date.parse(timestamp))
  return late === undefined ? null : `job "${late.name}" ran after the file was written`
}

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`
}

/** The instant up to which a saved job's ticks are settled. */
export function settledUntil({ lastRun, ...job }: SavedJob, { timestamp }: SavedState): number {
  if (job.settledUntil !== undefined) return Date.parse(job.settledUntil)
  return Date.parse(lastRun ?? timestamp) + 1
}
