/** What became of the ticks of each hour, in the chosen time zone. */
import type { Answer } from '../../../../../src/client/index.ts'
import { kindWords, type TickKind } from '../../../ticks/tick-mark.ts'
import { counted } from '../../../words/sentences.ts'

export type Heatmap = Answer<'GET /jobs/{id}/heatmap'>
export type HeatHour = Heatmap['days'][number]['hours'][number]

/** The most important first: it decides the letter of a cell. */
const kinds = [
  ['failed', 'failed'],
  ['late', 'late'],
  ['skipped', 'skipped'],
  ['cancelled', 'cancelled'],
  ['coalesced', 'coalesced'],
  ['caughtUp', 'caught_up'],
  ['running', 'running'],
  ['ran', 'ran'],
] as const satisfies readonly (readonly [keyof HeatHour, TickKind])[]

export interface KindCount {
  readonly kind: TickKind
  readonly count: number
}

export function countsOf(hours: readonly HeatHour[]): KindCount[] {
  return kinds
    .map(([field, kind]) => ({ kind, count: hours.reduce((sum, hour) => sum + hour[field], 0) }))
    .filter(({ count }) => count > 0)
}

const colours: Readonly<Record<TickKind, string>> = {
  ran: 'var(--ran)',
  late: 'var(--late)',
  failed: 'var(--failed)',
  unaccounted: 'var(--failed)',
  running: 'var(--running)',
  waiting: 'var(--running)',
  caught_up: 'var(--caught-up)',
  coalesced: 'var(--coalesced)',
  skipped: 'var(--skipped)',
  cancelled: 'var(--skipped)',
}

/** Each kind fills its share of the cell, but enough to be visible: one failure among sixty runs must be seen. */
export function fillOf(counts: readonly KindCount[]): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const least = 0.2
  const shares = counts.map(({ kind, count }) => ({ kind, share: Math.max(least, count / total) }))
  const whole = shares.reduce((sum, { share }) => sum + share, 0)
  let from = 0
  const stops = shares.toReversed().map(({ kind, share }) => {
    const to = from + (share / whole) * 100
    const stop = `${colours[kind]} ${from.toFixed(1)}% ${to.toFixed(1)}%`
    from = to
    return stop
  })
  return `linear-gradient(to top, ${stops.join(', ')})`
}

/** "12 ticks: 1 failed, 11 ran". */
export function countsSentence(counts: readonly KindCount[]): string {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return 'no ticks, or none that are still kept'
  return `${counted(total, 'tick')}: ${counts.map(({ kind, count }) => `${count.toLocaleString('en')} ${kindWords[kind].toLowerCase()}`).join(', ')}`
}
