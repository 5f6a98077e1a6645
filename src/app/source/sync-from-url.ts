/**
 * One sync of a source: asks its URL, turns the entries of the answer into jobs, and brings those here to them. Whatever
 * the answer is, no job is deleted, and only where it can be trusted that far are some paused.
 */
import { type SourceHandler, secretsNamedIn } from '../../core/job/handler.ts'
import { isRecord } from '../../core/unknown-value.ts'
import { type FetchRequest, fetchSchedules } from '../../sources/api/fetch-schedules.ts'
import { mapEntry } from '../../sources/api/map-entry.ts'
import { readAnswer } from '../../sources/api/schedule-answer.ts'
import type { InvalidEntry } from '../../sources/api/schedule-entry.ts'
import type { AppContext } from '../app-context.ts'
import { hashOfText } from '../job/managed/managed-job.ts'
import type { ListChange } from '../job/managed/plan-list.ts'
import { mapsHandler } from './source-options.ts'
import { type SourcedJob, type Synced, syncJobs } from './sync-source.ts'

export interface SourceSync {
  readonly source: string
  readonly handler: SourceHandler
  /** How to ask: with its secrets opened. */
  readonly request: Pick<
    FetchRequest,
    'url' | 'headers' | 'allowPrivateHosts' | 'signal' | 'timeoutMs' | 'resolve'
  >
  /** What the last sync has returned. */
  readonly last: unknown
  readonly dryRun: boolean
}

/** Kept as the result of its execution: counts, and the first names of each kind. */
export interface SourceSummary {
  readonly dryRun: boolean
  /** The answer is the one of the last sync, so that nothing was looked at. */
  readonly notModified: boolean
  readonly counts: Readonly<Record<Kind | 'unchanged' | 'invalid', number>>
  readonly first: Readonly<Record<Kind, readonly string[]>>
  readonly heldBecause: string | null
  /** Entries that were passed over; the others were synced. */
  readonly invalid: readonly InvalidEntry[]
  /** Of a dry run. */
  readonly changes: readonly ListChange[]
  /** Lets the next sync ask only for what is new. Null where this one left something to do. */
  readonly etag: string | null
  /** Of the source's definition: under another one, the same answer means something else. */
  readonly definition: string
}

type Kind = 'added' | 'modified' | 'removed' | 'held'

const mostNamed = 20
/** So many entries are looked at before everybody else has a turn. */
const perTurn = 500

export async function syncFromUrl(app: AppContext, sync: SourceSync): Promise<SourceSummary> {
  const { source, handler, request, last, dryRun } = sync
  const definition = hashOfText(JSON.stringify(handler))
  const known = dryRun ? null : knownEtag(last, definition)
  const { answer, etag } = await fetchSchedules({ ...request, etag: known })
  if (answer === undefined) return { ...summaryOf(nothing, dryRun), notModified: true, etag, definition }
  const { entries, doubt } = readAnswer(answer, handler.items)
  const { jobs, invalid } = await jobsOf(app, entries, handler)
  const synced = await syncJobs(app, {
    source,
    jobs,
    invalid,
    doubt,
    maxRemovals: handler.maxRemovals ?? undefined,
    dryRun,
  })
  const { result } = synced
  const isDone = !dryRun && result.held.length === 0 && result.invalid.length === 0
  return { ...summaryOf(synced, dryRun), notModified: false, etag: isDone ? etag : null, definition }
}

async function jobsOf(
  app: AppContext,
  entries: readonly unknown[],
  handler: SourceHandler,
): Promise<{ jobs: SourcedJob[]; invalid: InvalidEntry[] }> {
  const jobs = new Map<string, SourcedJob>()
  const invalid: InvalidEntry[] = []
  for (const [index, entry] of entries.entries()) {
    if (index % perTurn === perTurn - 1) await app.rest()
    const made = mapEntry(entry, handler)
    if ('why' in made) invalid.push({ index, scheduleId: made.name, why: made.why })
    else if (jobs.has(made.name)) invalid.push({ index, scheduleId: made.name, why: 'it is listed twice' })
    else if (makesSource(made.job))
      invalid.push({ index, scheduleId: made.name, why: 'a source cannot make sources' })
    else if (mapsHandler(handler.mapping) && secretsNamedIn(made.job['handler']).length > 0)
      invalid.push({
        index,
        scheduleId: made.name,
        why: 'its handler names a secret, which no list from outside may',
      })
    else jobs.set(made.name, { index, name: made.name, job: made.job })
  }
  return { jobs: [...jobs.values()], invalid }
}

/** A list from outside must not say what else is asked. */
function makesSource({ handler }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(handler) && handler['type'] === 'source'
}

function knownEtag(last: unknown, definition: string): string | null {
  if (!isRecord(last) || last['definition'] !== definition) return null
  return typeof last['etag'] === 'string' ? last['etag'] : null
}

const nothing: Synced = {
  result: { added: [], modified: [], unchanged: [], removed: [], held: [], heldBecause: null, invalid: [] },
  changes: [],
}

function summaryOf(
  { result, changes }: Synced,
  dryRun: boolean,
): Omit<SourceSummary, 'notModified' | 'etag' | 'definition'> {
  const each = <T>(of: (kind: Kind) => T) =>
    ({ added: of('added'), modified: of('modified'), removed: of('removed'), held: of('held') }) as const
  return {
    dryRun,
    counts: {
      ...each((kind) => result[kind].length),
      unchanged: result.unchanged.length,
      invalid: result.invalid.length,
    },
    first: each((kind) => result[kind].slice(0, mostNamed)),
    heldBecause: result.heldBecause,
    invalid: result.invalid.slice(0, mostNamed),
    changes: changes.slice(0, mostNamed),
  }
}

/** One line of a log. */
export function summaryWords({ counts, notModified, dryRun }: SourceSummary): string {
  if (notModified) return 'The answer has not changed.'
  const { added, modified, removed, unchanged, held, invalid } = counts
  const would = dryRun ? 'Would be: ' : ''
  return `${would}${added} added, ${modified} modified, ${removed} paused, ${unchanged} unchanged, ${held} held, ${invalid} invalid.`
}
