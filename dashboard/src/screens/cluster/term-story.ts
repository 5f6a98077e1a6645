/** A term of leadership and the gap before it, in the words of the chart and the table. */

import { repairWords } from '../../../../src/core/leader/term.ts'
import { counted } from '../../words/sentences.ts'
import { durationWords } from '../../words/times.ts'
import type { Term } from './cluster-answers.ts'

export interface Gap {
  readonly from: number
  readonly to: number
  /** Ticks were skipped: worse than a gap that was caught up. */
  readonly hasLost: boolean
  readonly words: string
  /** If there is no room for all of them. */
  readonly shortWords: string
}

/** When the term ended: now if it still leads, else at its stop or its last heartbeat. */
export function endOf(term: Term, leadingId: number | null, now: number): number {
  if (term.stopTime !== null) return Date.parse(term.stopTime)
  if (term.id === leadingId) return now
  return Date.parse(term.lastHeartbeat ?? term.startTime)
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

/** "led 3 h 5 min, then stopped responding". */
export function endWords(term: Term, leadingId: number | null, now: number): string {
  const led = durationWords(endOf(term, leadingId, now) - Date.parse(term.startTime))
  if (term.stopTime !== null) return `led ${led}, then stopped`
  return term.id === leadingId ? `leading for ${led}` : `led ${led}, then stopped responding`
}

export function termsWords(terms: readonly Term[]): string {
  const gaps = terms.filter(({ gapMs }) => gapMs > 0)
  if (gaps.length === 0) return `${counted(terms.length, 'term')}, no gaps`
  const longest = Math.max(...gaps.map(({ gapMs }) => gapMs))
  return `${counted(terms.length, 'term')}, ${counted(gaps.length, 'gap')}, longest ${durationWords(longest)}`
}
