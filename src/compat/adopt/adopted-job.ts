/**
 * A row that says when something is due, as a job. The old scheduler may go on beside it: the job is held, as paused, until
 * it is imported with the instant of the switch. From there on its ledger begins; before it, the old one fires.
 */
import { createHash } from 'node:crypto'
import { type AppContext, contextOf } from '../../app/app-context.ts'
import type { ActorOptions } from '../../app/change-context.ts'
import type { CreateJob } from '../../app/job/jobs.ts'
import { wantedJob } from '../../app/job/managed/wanted-job.ts'
import type { JobView } from '../../app/views.ts'
import { EvertickError } from '../../core/error.ts'
import { isRecord } from '../../core/unknown-value.ts'
import type { Evertick } from '../../evertick.ts'
import { Unreadable } from './cells.ts'

export const heldReason = 'imported: held until the switch'
/** Why a job is paused that was so in the old scheduler. */
export const pausedThereReason = 'paused in the old scheduler'

/** Under which key of its metadata a job keeps which row it was made of. */
export const importedKey = 'imported'
export const importedTag = 'imported'

export interface JobOfRow {
  /** Which row. */
  readonly id: string
  readonly name: string
  readonly job: Omit<CreateJob, 'name' | 'paused' | 'startAt'>
  /** It is due once, at the switch. */
  readonly once: boolean
  /** It stays so after the switch. */
  readonly pausedThere: boolean
}

export type JobResult = 'created' | 'updated' | 'unchanged'

export interface Switch {
  readonly table: string
  /** From when on Evertick fires; null: not yet. */
  readonly startAt: Date | null
}

export interface JobPlan {
  readonly result: JobResult
  /** Paused by the import, until the switch. */
  readonly held: boolean
}

/** What an import makes of the row. Throws where the row makes no job, or the name is somebody else's. */
export async function lookAtJob(evertick: Evertick, row: JobOfRow, given: Switch): Promise<JobPlan> {
  const app = contextOf(evertick)
  const { name, pausedThere } = row
  const now = app.clock.now()
  wantedJob(app, { ...row.job, name }, { createdAt: now, spec: null }, null)
  const { startAt } = given
  if (startAt !== null && startAt.getTime() <= now) throw pastSwitch(startAt)
  const waits = startAt === null && !pausedThere
  const before = await findJob(evertick, name)
  if (before === null) return { result: 'created', held: waits }
  const mark = before.metadata[importedKey]
  if (!isRecord(mark) || mark['table'] !== given.table || mark['id'] !== row.id) {
    throw new Unreadable(
      `there is a job named ${name} already, which was not made of this row`,
      'Rename or delete that job, or give the row another name.',
    )
  }
  const isSame = mark['hash'] === hashOf(row) && !isBare(before)
  const switches = startAt !== null && isOurs(before) && !pausedThere
  return { result: isSame && !switches ? 'unchanged' : 'updated', held: waits && isOurs(before) }
}

/** Each step finds what was done before it: an import that was killed is simply made again. */
export async function writeJob(
  evertick: Evertick,
  row: JobOfRow,
  { table, startAt }: Switch,
  by: ActorOptions,
): Promise<void> {
  const { name, id, once, pausedThere } = row
  const before = await findJob(evertick, name)
  const switches = startAt !== null && !pausedThere && (before === null || isOurs(before))
  const job = {
    ...row.job,
    tags: [...(row.job.tags ?? []), importedTag],
    metadata: { ...row.job.metadata, [importedKey]: { table, id, hash: hashOf(row) } },
    ...(switches ? (once ? { schedule: { at: startAt } } : { startAt }) : {}),
  }
  const reason = pausedThere ? pausedThereReason : heldReason
  if (before === null) {
    await evertick.jobs.create({ ...job, name, paused: !switches }, by)
    if (!switches) await evertick.jobs.pause(name, { ...by, reason })
    return
  }
  await evertick.jobs.update(name, job, by)
  // What falls due between the two is run, and what was due before the switch is not in the ledger.
  if (switches) await evertick.jobs.resume(name, { ...by, catchUp: 'all' })
  else if (before.pausedReason !== reason && (isOurs(before) || (pausedThere && !before.isPaused))) {
    await evertick.jobs.pause(name, { ...by, reason })
  }
}

/** An import was killed before it could say why. */
function isBare({ isPaused, pausedReason, createdAt, updatedAt }: JobView): boolean {
  return isPaused && pausedReason === null && createdAt.getTime() === updatedAt.getTime()
}

/** Paused by an import, and not by a person. */
function isOurs(job: JobView): boolean {
  const { isPaused, pausedReason } = job
  return isPaused && (pausedReason === heldReason || pausedReason === pausedThereReason || isBare(job))
}

/** Of what the row says, so that an import changes a job only where its row has changed since. */
function hashOf({ job, once, pausedThere }: JobOfRow): string {
  return createHash('sha256')
    .update(JSON.stringify([job, once, pausedThere]))
    .digest('hex')
    .slice(0, 32)
}

async function findJob({ jobs }: Evertick, name: string): Promise<JobView | null> {
  try {
    return await jobs.get(name)
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'job_not_found') return null
    throw error
  }
}

/** Asked for each row: what is due between the switch and its import, nobody would fire. */
function pastSwitch(startAt: Date): Unreadable {
  return new Unreadable(
    `the switch at ${startAt.toISOString()} has passed`,
    'Import again with a later --start-at; `evertick backfill` runs what was due in between.',
  )
}

/** Before anything is read: what was due before the switch is the old scheduler's. */
export function refusePastSwitch({ clock }: Pick<AppContext, 'clock'>, startAt: Date | null): void {
  if (startAt === null || startAt.getTime() > clock.now()) return
  throw new EvertickError('invalid_option', `--start-at ${startAt.toISOString()} does not lie ahead.`, {
    field: '--start-at',
    next: 'Name an instant that leaves the import its time, such as +10m, and stop the old scheduler at it.',
  })
}
