/** What the parents of a job have come to, as rows: one for each run that began it all, or for each period. */
import { createHash } from 'node:crypto'
import type { Per } from '../../../core/dependency/edge.ts'
import {
  type Arrival,
  type JoinState,
  joinStates,
  type NotMadeReason,
  notMadeReasons,
} from '../../../core/dependency/join.ts'
import { periodOf } from '../../../core/dependency/period.ts'
import { number, oneOf, optionalNumber, optionalText, text } from '../runtime/rows.ts'
import { insertUntaken, type Row, rows, run, type Script } from '../runtime/script.ts'
import { joinModeOf } from './edges.ts'

const joinStateOf = oneOf('state of a join', joinStates)
const notMadeReasonOf = oneOf('reason of a run that was not made', notMadeReasons)

export interface JoinKey {
  readonly childId: string
  readonly key: string
}

export interface StoredJoin extends JoinKey {
  readonly state: JoinState
  readonly reason: NotMadeReason | null
  readonly mode: 'all' | 'any'
  /** The run that began it all; null where it is joined by a period. */
  readonly rootId: string | null
  readonly periodTo: number | null
  readonly closeAt: number | null
  readonly scheduledFor: number
  readonly parents: readonly Arrival[]
  readonly executionId: string | null
  readonly openedAt: number
  readonly closedAt: number | null
}

export function joinFrom(join: Row): StoredJoin {
  const reason = optionalText(join.reason)
  return {
    childId: text(join.child_id),
    key: text(join.join_key),
    state: joinStateOf(join.state),
    reason: reason === null ? null : notMadeReasonOf(reason),
    mode: joinModeOf(join.join_mode),
    rootId: optionalText(join.root_id),
    periodTo: optionalNumber(join.period_to),
    closeAt: optionalNumber(join.close_at),
    scheduledFor: number(join.scheduled_for),
    parents: JSON.parse(text(join.parents)) as Arrival[],
    executionId: optionalText(join.execution_id),
    openedAt: number(join.opened_at),
    closedAt: optionalNumber(join.closed_at),
  }
}

export type NewJoin = Pick<
  StoredJoin,
  'childId' | 'key' | 'mode' | 'rootId' | 'periodTo' | 'closeAt' | 'scheduledFor'
>

export function joinByRoot(
  childId: string,
  mode: 'all' | 'any',
  rootId: string,
  scheduledFor: number,
): NewJoin {
  return { childId, key: rootId, mode, rootId, periodTo: null, closeAt: null, scheduledFor }
}

/** A parent has as long as the period again to be late. */
export function joinByPeriod(childId: string, mode: 'all' | 'any', per: Per, at: number): NewJoin {
  const { from, to } = periodOf(per, at)
  const times = { periodTo: to, closeAt: to + (to - from), scheduledFor: from }
  return { childId, key: String(from), mode, rootId: null, ...times }
}

const columns = {
  child_id: 'uuid',
  join_key: 'text',
  state: 'text',
  join_mode: 'text',
  root_id: 'uuid',
  period_to: 'number',
  close_at: 'number',
  scheduled_for: 'number',
  parents: 'text',
  opened_at: 'number',
} as const

/**
 * Inserted unless they are there, then held, and only then read: of two parents that end at once, the second sees what the
 * first has written. In one order, so that nobody waits in a circle.
 */
export function* holdJoins(wanted: readonly NewJoin[], now: number): Script<StoredJoin[]> {
  if (wanted.length === 0) return []
  const inOrder = wanted.toSorted((a, b) => compare(a.childId, b.childId) || compare(a.key, b.key))
  yield* insertUntaken(
    'joins',
    columns,
    inOrder.map((join) => ({
      child_id: join.childId,
      join_key: join.key,
      state: 'open',
      join_mode: join.mode,
      root_id: join.rootId,
      period_to: join.periodTo,
      close_at: join.closeAt,
      scheduled_for: join.scheduledFor,
      parents: '[]',
      opened_at: now,
    })),
  )
  const found = yield* rows(
    `SELECT * FROM @joins WHERE child_id IN ?* AND join_key IN ?* ORDER BY child_id, join_key FOR UPDATE`,
    [...new Set(wanted.map(({ childId }) => childId))],
    [...new Set(wanted.map(({ key }) => key))],
  )
  const names = new Set(wanted.map(({ childId, key }) => `${childId} ${key}`))
  return found.map(joinFrom).filter(({ childId, key }) => names.has(`${childId} ${key}`))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The caller holds it. */
export function* writeJoin(join: StoredJoin): Script<void> {
  yield* run(
    `UPDATE @joins SET state = ?, reason = ?, parents = ?, execution_id = ?::uuid, closed_at = ?, close_at = ?
     WHERE child_id = ? AND join_key = ?`,
    join.state,
    join.reason,
    JSON.stringify(join.parents),
    join.executionId,
    join.closedAt,
    join.closeAt,
    join.childId,
    join.key,
  )
}

/**
 * The id of the run that a join makes, now or later: whoever settles the same join means the same run.
 */
export function runIdOf({ childId, key, openedAt }: JoinKey & { readonly openedAt: number }): string {
  const time = openedAt.toString(16).padStart(12, '0')
  const hash = createHash('sha256').update(`${childId} ${key}`).digest('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hash.slice(0, 3)}-8${hash.slice(3, 6)}-${hash.slice(6, 18)}`
}
