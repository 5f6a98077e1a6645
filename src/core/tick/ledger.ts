/**
 * Reads a job's ledger against its nominal ticks: the invariant of DESIGN 3.4. On [ledgerFrom, cursor) every nominal tick
 * is in exactly one row, and no row holds anything else.
 */
import type { TickSequence } from '../schedule/schedule.ts'
import type { TickRange } from './account.ts'

/** The ticks of one revision: its sequence holds on `[from, until)`. */
export interface RevisionSpan {
  readonly from: number
  readonly until: number
  /** null where the spec does not evaluate, or where the ticks come from the ledger itself (fixedDelay). */
  readonly sequence: TickSequence | null
  /** Evaluated under another version of the time zone data: a difference proves nothing. */
  readonly verifiable: boolean
}

export interface LedgerEntry {
  readonly from: number
  readonly to: number
  readonly count: number
}

export interface Finding {
  readonly kind: 'unaccounted' | 'doubled' | 'foreign'
  /** The first instant concerned. */
  readonly at: number
  readonly until: number
  readonly count: number
}

export interface LedgerReport {
  readonly ticks: number
  readonly unaccounted: number
  readonly doubled: number
  readonly unverifiable: number
  readonly findings: readonly Finding[]
}

export function entriesOf(tickAts: readonly number[], ranges: readonly TickRange[]): LedgerEntry[] {
  const own = tickAts.map((tickAt) => ({ from: tickAt, to: tickAt, count: 1 }))
  return [...own, ...ranges].sort((a, b) => a.from - b.from || a.to - b.to)
}

/** `entries` are sorted by their start; those that begin below `ledgerFrom` are no longer counted. */
export function checkLedger(
  spans: readonly RevisionSpan[],
  entries: readonly LedgerEntry[],
  ledgerFrom: number,
  accountedUntil: number,
): LedgerReport {
  const findings: Finding[] = []
  let ticks = 0
  let unverifiable = 0
  for (const span of spans) {
    const from = Math.max(span.from, ledgerFrom)
    const until = Math.min(span.until, accountedUntil)
    if (from >= until) continue
    const own = entries.filter((entry) => entry.from >= from && entry.from < until)
    if (span.sequence === null || !span.verifiable) {
      const counted = own.reduce((sum, entry) => sum + entry.count, 0)
      ticks += counted
      if (!span.verifiable) unverifiable += counted
      findings.push(...overlaps(own))
      continue
    }
    ticks += span.sequence.count(from, until)
    findings.push(...checkSpan(span.sequence, own, from, until))
  }
  const sum = (kind: Finding['kind']) =>
    findings.filter((finding) => finding.kind === kind).reduce((total, finding) => total + finding.count, 0)
  return {
    ticks,
    unaccounted: sum('unaccounted'),
    doubled: sum('doubled') + sum('foreign'),
    unverifiable,
    findings,
  }
}

function checkSpan(
  sequence: TickSequence,
  entries: readonly LedgerEntry[],
  from: number,
  until: number,
): Finding[] {
  const findings: Finding[] = []
  let covered = from
  const missing = (to: number) => {
    const count = covered < to ? sequence.count(covered, to) : 0
    if (count > 0) {
      const at = sequence.next(covered - 1) ?? covered
      findings.push({ kind: 'unaccounted', at, until: sequence.previous(to) ?? at, count })
    }
  }
  for (const entry of entries) {
    missing(entry.from)
    if (entry.from < covered) {
      const count = sequence.count(entry.from, Math.min(covered, entry.to + 1))
      findings.push({
        kind: 'doubled',
        at: entry.from,
        until: Math.min(covered - 1, entry.to),
        count: Math.max(1, count),
      })
    }
    const nominal = sequence.count(entry.from, entry.to + 1)
    if (nominal !== entry.count) {
      const kind = nominal > entry.count ? 'unaccounted' : 'foreign'
      findings.push({ kind, at: entry.from, until: entry.to, count: Math.abs(nominal - entry.count) })
    }
    covered = Math.max(covered, entry.to + 1)
  }
  missing(until)
  return findings
}

/** Without nominal ticks to compare with, a tick can still be seen twice. */
function overlaps(entries: readonly LedgerEntry[]): Finding[] {
  const findings: Finding[] = []
  let covered = Number.NEGATIVE_INFINITY
  for (const entry of entries) {
    if (entry.from < covered)
      findings.push({ kind: 'doubled', at: entry.from, until: entry.to, count: entry.count })
    covered = Math.max(covered, entry.to + 1)
  }
  return findings
}
