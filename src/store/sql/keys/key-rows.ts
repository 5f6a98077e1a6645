/**
 * The rows of keys. Of each key one row is held by whoever enqueues under it, until the commit: the one that no other has
 * followed. Keys are held after jobs and before executions; whoever holds an execution waits for no key.
 */
import { type EventMode, eventModes, type StandsFor } from '../../../core/execution/unique-key.ts'
import type { Standing } from '../../store.ts'
import { number, oneOf, optionalNumber, text } from '../runtime/rows.ts'
import {
  insertAll,
  insertUntaken,
  type Row,
  type RowOf,
  row,
  rows,
  run,
  type Script,
} from '../runtime/script.ts'

const columns = {
  job_id: 'uuid',
  mode: 'text',
  unique_key: 'text',
  followed_by: 'text',
  execution_id: 'uuid',
  events: 'number',
  first_at: 'number',
  last_at: 'number',
  until_at: 'number',
} as const

const modeOf = oneOf('mode of a key', eventModes)

export interface KeyOf {
  readonly jobId: string
  readonly mode: EventMode
  readonly key: string
}

/** The row that new events of the key come to. */
export interface HeldKey extends KeyOf {
  readonly executionId: string
  readonly events: number
  readonly firstAt: number
  readonly lastAt: number
  readonly untilAt: number | null
}

function keyRow(held: HeldKey): RowOf<typeof columns> {
  return {
    job_id: held.jobId,
    mode: held.mode,
    unique_key: held.key,
    followed_by: '',
    execution_id: held.executionId,
    events: held.events,
    first_at: held.firstAt,
    last_at: held.lastAt,
    until_at: held.untilAt,
  }
}

/** A key that has a row keeps it. */
export function* offerKeys(keys: readonly HeldKey[]): Script<void> {
  yield* insertUntaken('unique_keys', columns, keys.map(keyRow))
}

export function* insertKeys(keys: readonly HeldKey[]): Script<void> {
  yield* insertAll('unique_keys', columns, keys.map(keyRow))
}

/** By the whole primary key, so that nothing beside it is locked. */
const heldText = `
  SELECT * FROM @unique_keys WHERE job_id = ? AND mode = ? AND unique_key IN ?* AND followed_by = ''
  ORDER BY unique_key FOR UPDATE`

/** Keys of one job and one mode. */
export function* holdKeys(keys: readonly KeyOf[]): Script<HeldKey[]> {
  const [first] = keys
  if (first === undefined) return []
  const names = keys.map(({ key }) => key)
  return (yield* rows(heldText, first.jobId, first.mode, names)).map(heldFrom)
}

export function heldFrom(row: Row): HeldKey {
  return {
    jobId: text(row.job_id),
    mode: modeOf(row.mode),
    key: text(row.unique_key),
    executionId: text(row.execution_id),
    events: number(row.events),
    firstAt: number(row.first_at),
    lastAt: number(row.last_at),
    untilAt: optionalNumber(row.until_at),
  }
}

const isIt = `job_id = ? AND mode = ? AND unique_key = ? AND followed_by = ''`

/** Writes what came to it. */
export function* noteEvents({ jobId, mode, key, events, lastAt, untilAt }: HeldKey): Script<void> {
  const text = `UPDATE @unique_keys SET events = ?, last_at = ?, until_at = ? WHERE ${isIt}`
  yield* run(text, events, lastAt, untilAt, jobId, mode, key)
}

/** The caller inserts the row of the one that follows it. */
export function* followKey({ jobId, mode, key }: KeyOf, followedBy: string): Script<void> {
  yield* run(`UPDATE @unique_keys SET followed_by = ? WHERE ${isIt}`, followedBy, jobId, mode, key)
}

const currentText = `
  SELECT k.* FROM @unique_keys k JOIN @jobs j ON j.id = k.job_id
  WHERE j.name = ? AND j.deleted_at IS NULL AND k.mode = ? AND k.unique_key = ? AND k.followed_by = ''`

/** What stands for the events of a key now. */
export function* findStanding(job: string, { mode, key }: Omit<KeyOf, 'jobId'>): Script<Standing | null> {
  const found = yield* row(currentText, job, mode, key)
  return found === null ? null : { executionId: text(found.execution_id), lastAt: number(found.last_at) }
}

/** What these executions stand for, by their ids: only those that were enqueued under a key are there. */
export function* readStandsFor(ids: readonly string[]): Script<ReadonlyMap<string, StandsFor>> {
  if (ids.length === 0) return new Map()
  const found = yield* rows('SELECT * FROM @unique_keys WHERE execution_id IN ?*', ids)
  return new Map(found.map((row) => [text(row.execution_id), standsForFrom(row)]))
}

function standsForFrom(row: Row): StandsFor {
  const { mode, key, events, firstAt, lastAt, untilAt } = heldFrom(row)
  const followedBy = text(row.followed_by)
  return { mode, key, events, firstAt, lastAt, untilAt, followedBy: followedBy === '' ? null : followedBy }
}

/** With the executions of theirs that retention removes; a span that is still open stays until it is over. */
export function* forgetKeys(executionIds: readonly string[], now: number): Script<void> {
  yield* run(
    `UPDATE @unique_keys SET expires_at = until_at
     WHERE execution_id IN ?* AND mode = 'throttle' AND followed_by = '' AND until_at > ?`,
    executionIds,
    now,
  )
  yield* run('DELETE FROM @unique_keys WHERE execution_id IN ?* AND expires_at IS NULL', executionIds)
}

/** Spans that are over, of executions that are gone. */
export function* purgeKeys(now: number): Script<void> {
  yield* run('DELETE FROM @unique_keys WHERE expires_at <= ?', now)
}
