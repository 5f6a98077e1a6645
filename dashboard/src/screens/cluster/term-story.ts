/** A term of leadership and the gap before it, as the chart and the table tell them. */
import { counted } from '../../words/accounts.ts'
import { durationWords } from '../../words/times.ts'
import type { Term } from './cluster-answers.ts'

export interface Gap {
  readonly from: number
  readonly to: number
  /** Ticks that will never run: worse than time that was made good. */
  readonly hasLost: boolean
  readonly words: string
  /** Where there is no room for all of it. */
  readonly shortWords: string
}

/** When its holder was last there: it stopped, it was last heard of, or it leads still. */
export function endOf(term: Term, leadingId: number | null, now: number): number {
  if (term.stopTime !== null) return Date.parse(term.stopTime)
  if (term.id === leadingId) return now
  return Date.parse(term.lastHeartbeat ?? term.startTime)
}

/** "3 caught up, 9 folded, 2 skipped". */
export function repairWords({ found, caughtUp, coalesced, skipped }: Term['missed']): string {
  if (found === 0) return 'nothing missed'
  const parts = [
    caughtUp > 0 ? `${caughtUp.toLocaleString('en')} caught up` : '',
    coalesced > 0 ? `${coalesced.toLocaleString('en')} folded` : '',
    skipped > 0 ? `${skipped.toLocaleString('en')} skipped` : '',
  ].filter((part) => part !== '')
  return `${found.toLocaleString('en')} missed${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

export function gapBefore(term: Term): Gap | null {
  if (term.gapMs <= 0) return null
  const to = Date.parse(term.startTime)
  return {
    from: to - term.gapMs,
    to,
    hasLost: term.missed.skipped > 0,
    words: `gap ${durationWords(term.gapMs)}, ${repairWords(term.missed)}`,
    shortWords: `gap ${durationWords(term.gapMs)}`,
  }
}

/** "led 3 h 5 min, then went silent". */
export function endWords(term: Term, leadingId: number | null, now: number): string {
  const led = durationWords(endOf(term, leadingId, now) - Date.parse(term.startTime))
  if (term.stopTime !== null) return `led ${led}, then stopped`
  return term.id === leadingId ? `leads for ${led}` : `led ${led}, then went silent`
}

export function termsWords(terms: readonly Term[]): string {
  const gaps = terms.filter(({ gapMs }) => gapMs > 0)
  if (gaps.length === 0) return `${counted(terms.length, 'term')}, no gap`
  const longest = Math.max(...gaps.map(({ gapMs }) => gapMs))
  return `${counted(terms.length, 'term')}, ${counted(gaps.length, 'gap')}, the longest ${durationWords(longest)}`
}
