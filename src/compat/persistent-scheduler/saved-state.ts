/**
 * The state file's text: what other programs wrote is read, too, and what was damaged is told from what is whole.
 * Pure.
 */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import { parseSchedule } from '../../core/schedule/schedule-spec.ts'
import { missedRuns } from './scheduler-config.ts'

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

export interface BadJob {
  /** Its name, or where it stands in a file that does not give it one. */
  readonly job: string
  readonly why: string
}

export type ReadState =
  | { readonly kind: 'whole'; readonly state: SavedState }
  /** A file that somebody edited: whole except for these. */
  | { readonly kind: 'partly'; readonly state: SavedState; readonly bad: readonly BadJob[] }
  | { readonly kind: 'damaged'; readonly why: string }
  /** Written by a program that knows more than this one. */
  | { readonly kind: 'foreign'; readonly version: string }

const version = '1.0'

const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)), 'is not a valid instant')
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
  jobs: z.array(z.unknown()),
  checksum: z.string().optional(),
})

export function formatState({ timestamp, jobs }: SavedState): string {
  const body = { version, timestamp, jobs }
  return `${JSON.stringify({ ...body, checksum: checksumOf(body) }, null, 2)}\n`
}

export function parseState(text: string): ReadState {
  let written: unknown
  try {
    // Some editors put a byte order mark before the text.
    written = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return { kind: 'damaged', why: text.trim() === '' ? 'it is empty' : 'it is not valid JSON' }
  }
  const other = otherVersion(written)
  if (other !== null) return { kind: 'foreign', version: other }
  const parsed = file.safeParse(written)
  if (!parsed.success) return { kind: 'damaged', why: issueOf(parsed.error) }
  const { timestamp, checksum } = parsed.data
  // Of what is written, not of what was made of it: only then a changed digit shows.
  if (checksum !== undefined && checksum !== checksumOf(bodyOf(written))) {
    const why = 'its checksum does not match (whoever edits it by hand removes the checksum)'
    return { kind: 'damaged', why }
  }
  const edited = checksum === undefined
  const strange = edited ? strangeKey(parsed.data) : null
  if (strange !== null) return { kind: 'damaged', why: strange }
  const { jobs, bad } = sortOut(parsed.data.jobs, edited ? timestamp : null)
  const state = { timestamp, jobs }
  return bad.length === 0 ? { kind: 'whole', state } : { kind: 'partly', state, bad }
}

/** Each job for itself: one that somebody got wrong costs none of the others. `editedAt`: null where nobody edited it. */
function sortOut(
  written: readonly unknown[],
  editedAt: string | null,
): { readonly jobs: SavedJob[]; readonly bad: BadJob[] } {
  const jobs = new Map<string, SavedJob>()
  const bad: BadJob[] = []
  for (const [index, one] of written.entries()) {
    const where = nameIn(one) ?? `number ${index + 1}`
    const { data, error } = job.safeParse(one)
    if (data === undefined) {
      bad.push({ job: where, why: issueOf(error) })
      continue
    }
    const why = editedAt === null ? null : contradiction(data, jobs, editedAt)
    if (why === null) jobs.set(data.name, data)
    else bad.push({ job: where, why })
  }
  return { jobs: [...jobs.values()], bad }
}

/** What the kinds of its values alone do not show. */
function contradiction(
  { name, schedule, timezone, lastRun, definition, maxMissedRuns }: SavedJob,
  before: ReadonlyMap<string, SavedJob>,
  timestamp: string,
): string | null {
  if (before.has(name)) return 'its name is used twice, and the first one counts'
  if (lastRun !== null && Date.parse(lastRun) > Date.parse(timestamp))
    return 'it ran after the file was written'
  // Where the definition still holds, it is scheduled with this; other programs may have other limits.
  if (definition !== undefined && !missedRuns.safeParse(maxMissedRuns).success) {
    return `maxMissedRuns is ${maxMissedRuns}; it must be from 1 to 1,000`
  }
  try {
    parseSchedule({ cron: schedule, timezone: timezone ?? 'UTC' }, { createdAt: 0, hashKey: name })
    return null
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    return error.message
  }
}

function nameIn(written: unknown): string | null {
  const { name } = (written ?? {}) as { name?: unknown }
  return typeof name === 'string' && name !== '' ? JSON.stringify(name) : null
}

function otherVersion(written: unknown): string | null {
  if (typeof written !== 'object' || written === null || !('version' in written)) return null
  const other = written.version
  return typeof other === 'string' && /^\d+\.\d+$/.test(other) && other !== version ? other : null
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

function issueOf(error: z.ZodError): string {
  const [issue] = error.issues
  return `${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'is not valid'}`
}

/** The instant up to which a saved job's ticks are settled. */
export function settledUntil({ lastRun, ...job }: SavedJob, { timestamp }: SavedState): number {
  if (job.settledUntil !== undefined) return Date.parse(job.settledUntil)
  return Date.parse(lastRun ?? timestamp) + 1
}
