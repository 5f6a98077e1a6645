/** The ledger as rows, newest first: one row per tick, or per range of ticks that share an account. */
import type { Answer } from '../../../../../src/client/index.ts'
import { reasonSentence, unaccountedSentence } from '../../../../../src/core/tick/account.ts'
import { type DrawnTick, kindOf, type TickKind, tickSentence } from '../../../ticks/tick-mark.ts'
import { counted, heldBack } from '../../../words/sentences.ts'
import type { TimedTick } from '../timed-ticks.ts'

export type Ledger = Answer<'GET /jobs/{id}/ticks'>
type Tick = TimedTick<Ledger['ticks'][number] & DrawnTick>

export interface LedgerRow {
  readonly key: string
  readonly kind: TickKind
  /** The first tick of the range. */
  readonly from: string
  readonly to: string
  readonly count: number
  readonly sentence: string
  readonly executionId: string | null
}

/** If the job is paused, its undecided ticks are held back by the pause. */
export function ledgerRows(ticks: readonly Tick[], isPaused: boolean): LedgerRow[] {
  const rows: LedgerRow[] = []
  let group: Tick[] = []
  const close = () => {
    if (group.length > 0) rows.push(rowOf(group, isPaused))
    group = []
  }
  for (const tick of ticks) {
    const before = group[0]
    if (before !== undefined && !isAlike(before, tick)) close()
    if (tick.account === 'upcoming') continue
    group.push(tick)
  }
  close()
  return rows.toReversed()
}

/** A tick whose run is known has a row of its own; others share one. */
function isAlike(one: Tick, other: Tick): boolean {
  const ran = one.folded !== true && (one.account === 'fired' || one.account === 'caught_up')
  return (
    !ran &&
    one.account === other.account &&
    one.reason === other.reason &&
    one.executionId === other.executionId &&
    one.state === other.state &&
    one.cancelReason === other.cancelReason
  )
}

function rowOf(group: readonly Tick[], isPaused: boolean): LedgerRow {
  const [first] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) throw new Error('A row has at least one tick.')
  const count = group.reduce((sum, tick) => sum + (tick.count ?? 1), 0)
  return {
    key: first.scheduledFor,
    kind: kindOf(first),
    from: first.scheduledFor,
    to: last.to ?? last.scheduledFor,
    count,
    sentence: sentenceOf(first, count, isPaused),
    executionId: first.executionId ?? null,
  }
}

function sentenceOf(tick: Tick, count: number, isPaused: boolean): string {
  const many = counted(count, 'tick')
  const held = heldBack(tick.reason)
  if (held !== null) return count === 1 ? held : `${many} ${held.charAt(0).toLowerCase()}${held.slice(1)}`
  switch (tick.account) {
    case 'skipped':
      return count === 1
        ? `Skipped: ${reasonSentence(tick.reason)}`
        : `${many} skipped: ${reasonSentence(tick.reason)}`
    case 'coalesced':
      return count === 1 ? 'Coalesced into a newer run' : `${many} coalesced into a newer run`
    case 'undecided':
      return isPaused
        ? `${many} held back: the job is paused, and resuming it decides`
        : `${many} due: the leader has not decided yet`
    case 'purged':
      return `${many} older than the ledger`
    case 'unaccounted':
      return `${many} ${unaccountedSentence}`
    default: {
      if (tick.folded === true) return tickSentence({ ...tick, count })
      const failed = tick.state === 'failed' || tick.state === 'retrying'
      return failed && tick.problem !== undefined
        ? `${tickSentence(tick)}: ${tick.problem}`
        : tickSentence(tick)
    }
  }
}
