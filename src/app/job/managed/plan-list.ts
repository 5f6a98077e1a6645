/** What a list means for the jobs that are there: which are created, changed or deleted, and what stands in the way. */
import { type ErrorCode, EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import { redacted } from '../../../core/job/secret-name.ts'
import { isRecord } from '../../../core/unknown-value.ts'
import type { AppContext } from '../../app-context.ts'
import { differences, type FieldDifference } from './differences.ts'
import { managedElsewhere } from './managed-job.ts'
import { isPausedBy } from './managed-writer.ts'
import { secretMarks } from './secret-marks.ts'
import { nameOf, type WantedJob, wantedJob } from './wanted-job.ts'
import { writtenJob, writtenOf } from './written-job.ts'

export interface ListChange {
  readonly job: string
  readonly becomes: 'created' | 'updated' | 'deleted' | 'overridden' | 'kept'
  readonly fields: readonly FieldDifference[]
}

/** An entry that stands in the way of the whole list. */
export interface RefusedEntry {
  /** Its place in the list, from 0. */
  readonly index: number
  readonly job: string | null
  /** Below the entry. */
  readonly field: string | null
  readonly code: ErrorCode
  readonly why: string
  readonly next: string | null
}

export interface ListPlan {
  readonly changes: readonly ListChange[]
  readonly unchanged: readonly string[]
  readonly missing: readonly string[]
  readonly refused: readonly RefusedEntry[]
  readonly wanted: ReadonlyMap<string, WantedJob>
  readonly standing: ReadonlyMap<string, Job>
}

export interface ListToPlan {
  /** `file:…`; `api` for a list that nobody owns. */
  readonly manager: string
  readonly jobs: readonly unknown[]
  readonly existing: readonly Job[]
  readonly prune: boolean
  readonly adopt: boolean
}

/** So many jobs are checked before everybody else has a turn. */
const perTurn = 50

export async function planList(
  app: AppContext,
  { manager, jobs, existing, prune, adopt }: ListToPlan,
): Promise<ListPlan> {
  const standing = new Map(existing.map((job) => [job.name, job]))
  const wanted = new Map<string, WantedJob>()
  const refused: RefusedEntry[] = []
  const changes: ListChange[] = []
  const owned = manager !== 'api'
  for (const [index, value] of jobs.entries()) {
    if (index % perTurn === perTurn - 1) await app.rest()
    try {
      const job = standing.get(nameOf(value) ?? '')
      if (job !== undefined && owned) refuseForeign(job, manager, adopt)
      const unborn = { createdAt: app.clock.now(), spec: null }
      const listed = wantedJob(app, value, job ?? unborn, owned ? manager : null)
      if (wanted.has(listed.name)) throw listedTwice(listed.name)
      wanted.set(listed.name, listed)
      changes.push(...changeOf(app, listed, job, manager))
    } catch (error) {
      refused.push(refusedEntry(index, value, error))
    }
  }
  const listed = new Set(jobs.map(nameOf))
  const missing = existing.filter(
    ({ managedBy, name }) => owned && managedBy === manager && !listed.has(name),
  )
  const changed = new Set(changes.map(({ job }) => job))
  const deleted = prune ? missing.map(deletion) : []
  return {
    changes: [...changes, ...deleted],
    unchanged: [...wanted.keys()].filter((name) => !changed.has(name)),
    missing: prune ? [] : missing.map(({ name }) => name),
    refused,
    wanted,
    standing,
  }
}

export function changeOf(
  { secrets }: AppContext,
  job: WantedJob,
  before: Job | undefined,
  manager: string,
): ListChange[] {
  const { name, written, marks, paused } = job
  if (before === undefined) return [{ job: name, becomes: 'created', fields: differences(null, written) }]
  // A pause is no part of the definition: an operator's is left alone, and the manager's own follows the list.
  const wasPaused = before.state === 'paused' && (paused || manager === 'api' || isPausedBy(before, manager))
  const fields = [...differences(writtenJob(name, before.spec, wasPaused), written)]
  const old = secretMarks(name, before.spec.handler, secrets)
  for (const [field, mark] of marks) {
    if (old.has(field) && old.get(field) !== mark)
      fields.push({ field, before: redacted, after: `${redacted}: another value` })
  }
  const adopted = manager !== 'api' && before.managedBy !== manager
  if (adopted) fields.push({ field: 'managedBy', before: before.managedBy, after: manager })
  const becomes =
    manager === 'api' ? 'kept' : adopted || before.managedHash !== job.hash ? 'updated' : 'overridden'
  // A file may say the same in other words, or a key may have been rotated: it is written, and nothing shows.
  return fields.length > 0 || becomes === 'updated' ? [{ job: name, becomes, fields }] : []
}

function deletion(job: Job): ListChange {
  return { job: job.name, becomes: 'deleted', fields: differences(writtenOf(job), null) }
}

/** Code and sources would write their own definition again. */
function refuseForeign(job: Job, manager: string, adopt: boolean): void {
  const { managedBy } = job
  if (managedBy === manager) return
  const mayAdopt = managedBy === 'api' || managedBy.startsWith('file:')
  if (mayAdopt && adopt) return
  throw managedElsewhere(
    job,
    manager,
    mayAdopt
      ? 'Take it over with --adopt, or choose another name.'
      : 'Choose another name, or change it there.',
  )
}

function listedTwice(name: string): EvertickError {
  return new EvertickError('invalid_definition', `Job "${name}" is listed twice.`, {
    field: 'name',
    next: 'Leave one of them out, or rename it.',
  })
}

/** A key that is missing, or a database that is away, is no fault of the list. */
function refusedEntry(index: number, value: unknown, error: unknown): RefusedEntry {
  if (!(error instanceof EvertickError) || error.kind === 'unavailable') throw error
  const { code, message, next = null } = error
  return { index, job: nameOf(value), field: fieldIn(value, error.field), code, why: message, next }
}

/** Of a schedule and an address, errors name the field alone. */
function fieldIn(value: unknown, field: string | undefined): string | null {
  const [first = ''] = (field ?? '').split('.')
  if (field === undefined || !isRecord(value) || first in value) return field ?? null
  const around = ['schedule', 'handler'].find((part) => {
    const inner = value[part]
    return isRecord(inner) && first in inner
  })
  return around === undefined ? field : `${around}.${field}`
}
