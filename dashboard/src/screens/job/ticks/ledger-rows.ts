/** The ledger as rows, newest first: a tick a row, and a run of ticks with one account one row together. */
import type { Answer } from '../../../../../src/client/index.ts'
import { reasonSentence } from '../../../../../src/core/tick/account.ts'
import { type DrawnTick, kindOf, type TickKind, tickSentence } from '../../../ticks/tick-mark.ts'
import { counted, heldBack } from '../../../words/accounts.ts'
import type { TimedTick } from '../timed-ticks.ts'

export type Ledger = Answer<'GET /jobs/{id}/ticks'>
type Tick = TimedTick<Ledger['ticks'][number] & DrawnTick>

export interface LedgerRow {
  readonly key: string
  readonly kind: TickKind
  /** Its first tick, where there are several. */
  readonly from: string
  readonly to: string
  readonly count: number
  readonly sentence: string
  readonly executionId: string | null
}

/** What is not decided is held back by the pause, where there is one. */
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

/** A tick that ran stands alone; what did not run is told together. */
function isAlike(one: Tick, other: Tick): boolean {
  const ran = one.account === 'fired' || one.account === 'caught_up'
  return (
    !ran &&
    one.account === other.account &&
    one.reason === other.reason &&
    one.executionId === other.executionId
  )
}

function rowOf(group: readonly Tick[], isPaused: boolean): LedgerRow {
  const [first] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) throw new Error('A row has at least one tick.')
  return {
    key: first.scheduledFor,
    kind: kindOf(first),
    from: first.scheduledFor,
    to: last.scheduledFor,
    count: group.length,
    sentence: sentenceOf(first, group.length, isPaused),
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
      return count === 1 ? 'Folded into a newer run' : `${many} folded into one newer run`
    case 'undecided':
      return isPaused
        ? `${many} held back: the job is paused, and resuming it decides`
        : `${many} due: its leader has not looked yet`
    case 'purged':
      return `${many} beyond what is kept: what became of ${count === 1 ? 'it' : 'them'} is no longer known`
    case 'unaccounted':
      return `${many} unaccounted: due, and nothing says what became of ${count === 1 ? 'it' : 'them'}`
    default: {
      const failed = tick.state === 'failed' || tick.state === 'retrying'
      return failed && tick.problem !== undefined
        ? `${tickSentence(tick)}: ${tick.problem}`
        : tickSentence(tick)
    }
  }
}
