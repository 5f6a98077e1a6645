/**
 * Compares a job's ledger with its nominal ticks. The invariant: on [ledgerFrom, cursor) every nominal tick
 * is in exactly one row, and no row holds anything else.
 */
import type { TickSequence } from '../schedule/schedule.ts'
import { countOf, type LedgerRow } from './ledger-row.ts'

/** The ticks of one revision: its sequence holds on `[from, until)`. */
export interface RevisionSpan {
  readonly from: number
  readonly until: number
  /** null where the spec does not evaluate, or where the ticks come from the ledger itself (fixedDelay). */
  readonly sequence: TickSequence | null
  /** False where it does not evaluate, or was computed with other time zone data: a difference proves nothing. */
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

export function entriesOf(tickAts: readonly number[], rows: readonly LedgerRow[]): LedgerEntry[] {
  const own = tickAts.map((tickAt) => ({ from: tickAt, to: tickAt, count: 1 }))
  const others = rows.map((row) => ({ from: row.from, to: row.to, count: countOf(row) }))
  return [...own, ...others].sort((a, b) => a.from - b.from || a.to - b.to)
}

/** `entries` are sorted by their start; those that begin below `ledgerFrom` are no longer counted. */
export function checkLedger(
  spans: readonly RevisionSpan[],
  entries: readonly LedgerEntry[],
  ledgerFrom: number,
  accountedUntil: number,
): LedgerReport {
  const check = new LedgerCheck(spans, ledgerFrom, accountedUntil)
  check.add(entries)
  return check.report()
}

/** The same for a ledger that comes in pieces, so that a long one need not be held, nor checked in one go. */
export class LedgerCheck {
  readonly #spans: SpanCheck[]
  #at = 0

  constructor(spans: readonly RevisionSpan[], ledgerFrom: number, accountedUntil: number) {
    this.#spans = spans
      .map((span) => ({
        ...span,
        from: Math.max(span.from, ledgerFrom),
        until: Math.min(span.until, accountedUntil),
      }))
      .filter(({ from, until }) => from < until)
      .map((span) => new SpanCheck(span))
  }

  /** In order of their start, also from one call to the next. */
  add(entries: readonly LedgerEntry[]): void {
    for (const entry of entries) {
      while (entry.from >= (this.#spans[this.#at]?.until ?? Number.POSITIVE_INFINITY)) this.#at += 1
      const span = this.#spans[this.#at]
      if (span !== undefined && entry.from >= span.from) span.add(entry)
    }
  }

  /** Nothing may be added after it. */
  report(): LedgerReport {
    for (const span of this.#spans) span.end()
    const findings = this.#spans.flatMap((span) => span.findings)
    const countOf = (kind: Finding['kind']) =>
      findings.reduce((total, finding) => total + (finding.kind === kind ? finding.count : 0), 0)
    return {
      ticks: this.#spans.reduce((total, { ticks }) => total + ticks, 0),
      unaccounted: countOf('unaccounted'),
      doubled: countOf('doubled') + countOf('foreign'),
      unverifiable: this.#spans.reduce((total, span) => total + span.unverifiable, 0),
      findings,
    }
  }
}

class SpanCheck {
  readonly from: number
  readonly until: number
  readonly verifiable: boolean
  readonly findings: Finding[] = []
  /** Without ticks to compare with, as many as the entries say. */
  ticks = 0
  /** Where agreement would be proof, and there is a difference. */
  unverifiable = 0
  /** Null where there is nothing to compare with. */
  readonly #sequence: TickSequence | null
  #covered: number

  constructor({ from, until, sequence, verifiable }: RevisionSpan) {
    this.from = from
    this.until = until
    this.verifiable = verifiable
    this.#sequence = sequence
    this.#covered = this.#sequence === null ? Number.NEGATIVE_INFINITY : from
  }

  add(entry: LedgerEntry): void {
    if (this.#sequence === null) this.#addUncompared(entry)
    else this.#compare(this.#sequence, entry)
    this.#covered = Math.max(this.#covered, entry.to + 1)
  }

  end(): void {
    if (this.#sequence === null) {
      if (!this.verifiable) this.unverifiable = this.ticks
      return
    }
    this.ticks = this.#sequence.count(this.from, this.until)
    this.#missing(this.#sequence, this.until)
  }

  /** A tick can still be seen twice. */
  #addUncompared({ from, to, count }: LedgerEntry): void {
    this.ticks += count
    if (from < this.#covered) this.findings.push({ kind: 'doubled', at: from, until: to, count })
  }

  #compare(sequence: TickSequence, entry: LedgerEntry): void {
    this.#missing(sequence, entry.from)
    const covered = this.#covered
    if (entry.from < covered) {
      const count = sequence.count(entry.from, Math.min(covered, entry.to + 1))
      const until = Math.min(covered - 1, entry.to)
      this.findings.push({ kind: 'doubled', at: entry.from, until, count: Math.max(1, count) })
    }
    const nominal = sequence.count(entry.from, entry.to + 1)
    if (nominal === entry.count) return
    const kind = nominal > entry.count ? 'unaccounted' : 'foreign'
    this.#differs({ kind, at: entry.from, until: entry.to, count: Math.abs(nominal - entry.count) })
  }

  #missing(sequence: TickSequence, to: number): void {
    const count = this.#covered < to ? sequence.count(this.#covered, to) : 0
    if (count === 0) return
    const at = sequence.next(this.#covered - 1) ?? this.#covered
    this.#differs({ kind: 'unaccounted', at, until: sequence.previous(to) ?? at, count })
  }

  #differs(finding: Finding): void {
    if (this.verifiable) this.findings.push(finding)
    else this.unverifiable += finding.count
  }
}
