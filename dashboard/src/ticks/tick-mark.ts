/**
 * The kinds of ticks that the bar, the ledger, the heatmap and legends show. Each has a colour and a shape or letter,
 * never a colour alone.
 */
import { foldedSentence, reasonSentence, unaccountedSentence } from '../../../src/core/tick/account.ts'
import { capitalized, counted, heldBack } from '../words/sentences.ts'
import { durationWords } from '../words/times.ts'

export const tickKinds = [
  'ran',
  'late',
  'failed',
  'running',
  'waiting',
  'caught_up',
  'coalesced',
  'skipped',
  'cancelled',
  'unaccounted',
] as const
export type TickKind = (typeof tickKinds)[number]

/** A tick or a range of ticks, as the server lists them. */
export interface DrawnTick {
  readonly scheduledFor: string
  readonly account: string
  readonly reason?: string | undefined
  readonly state?: string | undefined
  readonly cancelReason?: string | undefined
  /** It had an execution, whose details are no longer kept. */
  readonly folded?: true | undefined
  readonly executionId?: string | undefined
  readonly durationMs?: number | null | undefined
  readonly latenessMs?: number | null | undefined
  readonly count?: number | undefined
}

export const kindWords: Readonly<Record<TickKind, string>> = {
  ran: 'Ran',
  late: 'Ran late',
  failed: 'Failed',
  running: 'Running',
  waiting: 'Waiting',
  caught_up: 'Caught up',
  coalesced: 'Coalesced',
  skipped: 'Skipped',
  cancelled: 'Cancelled',
  unaccounted: 'Unaccounted',
}

const waitingWords: Readonly<Record<string, string>> = {
  retrying: 'Waiting for its next attempt',
  sleeping: 'Sleeping',
  waiting: 'Waiting for a signal',
}

/** Shown as late after this; a minute is also the engine's default grace. */
const lateMs = 60_000

export function kindOf(tick: DrawnTick): TickKind {
  switch (tick.account) {
    case 'coalesced':
    case 'skipped':
    case 'unaccounted':
      return tick.account
    case 'fired':
    case 'caught_up':
      return runKind(tick)
    default:
      return 'waiting'
  }
}

function runKind({ state, account, latenessMs }: DrawnTick): TickKind {
  switch (state) {
    case 'failed':
    case 'running':
    case 'cancelled':
      return state
    case 'retrying':
    case 'sleeping':
    case 'waiting':
    case 'pending':
    case 'blocked':
      return 'waiting'
    default:
      if (account === 'caught_up') return 'caught_up'
      return (latenessMs ?? 0) > lateMs ? 'late' : 'ran'
  }
}

/** "Ran in 1.2 s, 4 s late", "Skipped: the previous run was still going". */
export function tickSentence(tick: DrawnTick): string {
  const kind = kindOf(tick)
  const ticks = (tick.count ?? 1) > 1 ? counted(tick.count ?? 1, 'tick') : null
  if (tick.folded === true) {
    const ended = foldedSentence(tick.state, tick.cancelReason)
    const became = tick.account === 'caught_up' ? `caught up: ${ended}` : ended
    return ticks === null ? capitalized(became) : `${ticks} ${became}`
  }
  const many = ticks === null ? '' : `${ticks}: `
  switch (kind) {
    case 'skipped':
      return `${many}${heldBack(tick.reason) ?? `Skipped: ${reasonSentence(tick.reason)}`}`
    case 'coalesced':
      return `${many}Coalesced into a newer run`
    case 'unaccounted':
      return capitalized(unaccountedSentence)
    case 'ran':
    case 'late':
    case 'caught_up': {
      const took = tick.durationMs == null ? '' : ` in ${durationWords(tick.durationMs)}`
      const late =
        tick.latenessMs != null && tick.latenessMs >= 1_000 ? `, ${durationWords(tick.latenessMs)} late` : ''
      return `${kind === 'caught_up' ? 'Caught up' : 'Ran'}${took}${late}`
    }
    case 'waiting':
      if (tick.reason !== undefined) return heldBack(tick.reason) ?? 'Waiting'
      return waitingWords[tick.state ?? ''] ?? 'Waiting'
    case 'failed':
    case 'running':
    case 'cancelled':
      return kindWords[kind]
  }
}
