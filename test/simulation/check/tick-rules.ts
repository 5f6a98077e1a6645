/**
 * Every due tick is accounted for exactly once: whenever a cursor moves, the accounts written with it are exactly the
 * nominal ticks that it moves over. By induction over all commits, none is lost and none doubled.
 */
import type { DatabaseSync } from 'node:sqlite'
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import { nominalSequence } from '../../../src/core/job/sequence.ts'
import type { TickSequence } from '../../../src/core/schedule/schedule.ts'
import { specFrom } from '../../../src/store/sql/runtime/rows.ts'
import type { Change, JobRow, RangeRow } from './change-log.ts'
import { type Account, at, type Entry, entryOf, executionKind, inOrder, rangeIs } from './ledger-entries.ts'
import { isUnstarted, type Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

const totalsText = `
  SELECT (SELECT coalesce(sum(count), 0) FROM evertick_ledger_totals WHERE job_id = :job)
    + (SELECT count(*) FROM evertick_job_executions e JOIN evertick_jobs j ON j.id = e.job_id
       WHERE j.id = :job AND e.tick_at >= j.ledger_from)
    + (SELECT coalesce(sum(r.count), 0) FROM evertick_tick_ranges r JOIN evertick_jobs j ON j.id = r.job_id
       WHERE j.id = :job AND r.from_at >= j.ledger_from) AS ticks`

/** Ranges up to this long are walked tick by tick; longer ones are counted by arithmetic, which has tests of its own. */
const walked = 500

export class TickRules {
  readonly #model: Model
  /** Accounts whose cursor has not moved yet, by job. */
  readonly #written = new Map<string, Account[]>()
  /** Ranges that came and went since the last look at their job: in a commit they come in any order. */
  readonly #ranges = new Map<string, { made: Map<number, RangeRow>; gone: RangeRow[] }>()
  /** Tick executions and ranges taken away in this batch, by job, and the ranges that stand for them now. */
  readonly #gone = new Map<string, Entry[]>()
  readonly #folded = new Map<string, (Entry & { readonly id: number })[]>()
  /** Jobs that were paused when this commit made an execution of one of their ticks. */
  readonly #madeWhilePaused = new Set<string>()
  /** How many ticks were accounted and not taken back, by job. */
  readonly #counts = new Map<string, number>()
  /** All ticks accounted, for the summary. */
  ticks = 0

  constructor(model: Model) {
    this.#model = model
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    switch (change.table) {
      case 'execution': {
        const { before, after } = change
        if (before === null && after !== null && after.tick_at !== null) {
          this.#write(after.job_id, {
            from: after.tick_at,
            to: after.tick_at,
            count: 1,
            is: `execution ${after.id}`,
          })
        }
        if (after === null && before !== null && before.tick_at !== null) {
          if (!isUnstarted(before) && !isFinal(before.state))
            throw this.#broken(
              'nothing unfinished is deleted',
              before.job_id,
              `a ${before.state} execution is gone`,
            )
          push(this.#gone, before.job_id, {
            from: before.tick_at,
            to: before.tick_at,
            count: 1,
            is: `the ${before.state} execution of ${at(before.tick_at)}`,
            runs: [{ kind: executionKind(before), count: 1 }],
          })
        }
        if (before !== null && after !== null && before.tick_at !== after.tick_at)
          throw this.#broken(
            'an account never changes',
            after.job_id,
            `${at(before.tick_at)} became ${at(after.tick_at)}`,
          )
        return
      }
      case 'range':
        return this.#seeRange(change.before, change.after)
      case 'job':
        this.#settleRanges((change.after ?? change.before)?.id ?? '')
        if (change.before !== null && change.after !== null) this.#seeJob(change.before, change.after)
        else if (change.after === null && change.before?.deleted_at === null)
          throw new Violation('a job is never lost', `${change.before.name} is gone`)
        return
      default:
    }
  }

  /** At the end of a commit. */
  end(): void {
    for (const jobId of this.#ranges.keys()) this.#settleRanges(jobId)
    for (const [jobId, accounts] of this.#written) {
      const [first] = accounts
      if (first !== undefined)
        throw this.#broken(
          'a cursor moves with its accounts',
          jobId,
          `${at(first.from)} was accounted, but the cursor stands before it`,
        )
    }
    for (const [jobId, gone] of this.#gone) {
      // A deleted job goes with its ledger, once retention has passed both.
      if (!this.#model.jobs.has(jobId)) continue
      this.#checkFold(jobId, gone)
    }
    for (const jobId of this.#madeWhilePaused) {
      if (this.#model.job(jobId).state === 'paused')
        throw this.#broken('a paused job makes nothing', jobId, 'a tick fired while the job was paused')
    }
    for (const [jobId, gone] of this.#gone) {
      const { ledger_from: ledgerFrom } = this.#model.jobs.get(jobId) ?? { ledger_from: Infinity }
      for (const { to, count } of gone) if (to >= ledgerFrom) this.#count(jobId, -count)
    }
    for (const [jobId, folded] of this.#folded) {
      if (!this.#gone.has(jobId)) this.#checkFold(jobId, [])
      const { ledger_from: ledgerFrom } = this.#model.jobs.get(jobId) ?? { ledger_from: Infinity }
      for (const { to, count } of folded) if (to >= ledgerFrom) this.#count(jobId, count)
    }
    this.#written.clear()
    this.#gone.clear()
    this.#folded.clear()
    this.#madeWhilePaused.clear()
  }

  /** Totals + ledger = all ticks, for jobs that are still there. */
  checkTotals(client: DatabaseSync): void {
    for (const [jobId, counted] of this.#counts) {
      if (!this.#model.jobs.has(jobId)) continue
      const [found] = client.prepare(totalsText).all({ job: jobId })
      if (found?.['ticks'] !== counted)
        throw this.#broken(
          'totals + ledger = all ticks',
          jobId,
          `${counted} were accounted, but ${Number(found?.['ticks'])} are counted`,
        )
    }
  }

  #count(jobId: string, by: number): void {
    this.#counts.set(jobId, (this.#counts.get(jobId) ?? 0) + by)
  }

  #write(jobId: string, account: Account): void {
    const { state, accounted_until: cursor } = this.#model.job(jobId)
    if (state === 'paused' && account.is.startsWith('execution')) this.#madeWhilePaused.add(jobId)
    if (account.from < cursor)
      throw this.#broken(
        'each tick is accounted once',
        jobId,
        `${at(account.from)} got a second account (${account.is}), though the cursor had passed it`,
      )
    push(this.#written, jobId, account)
    this.ticks += account.count
    this.#count(jobId, account.count)
  }

  #seeRange(before: RangeRow | null, after: RangeRow | null): void {
    const jobId = (after ?? before)?.job_id ?? ''
    const { made, gone } = this.#ranges.get(jobId) ?? { made: new Map<number, RangeRow>(), gone: [] }
    this.#ranges.set(jobId, { made, gone })
    if (before === null && after !== null) made.set(after.id, after)
    else if (before !== null && after === null && !made.delete(before.id)) gone.push(before)
    else if (before !== null && after !== null) this.#rangeCut(before, after)
  }

  #settleRanges(jobId: string): void {
    const { made, gone } = this.#ranges.get(jobId) ?? { made: new Map<number, RangeRow>(), gone: [] }
    this.#ranges.delete(jobId)
    for (const range of gone) this.#rangeGone(range)
    for (const range of made.values()) this.#rangeMade(range)
  }

  /** Beyond the cursor it is an account; below it, it stands for rows that went in the same commit. */
  #rangeMade(made: RangeRow): void {
    const { job_id: jobId, from_at: from, to_at: to, count } = made
    const { accounted_until: cursor } = this.#model.job(jobId)
    const entry = entryOf(made)
    if (from >= cursor) return this.#write(jobId, entry)
    if (to < cursor) return push(this.#folded, jobId, { ...entry, id: made.id })
    // An account that goes on where a row ended is one row with it.
    const grown = (this.#gone.get(jobId) ?? []).find((gone) => gone.from === from && gone.to < cursor)
    const [kind] = entry.runs
    if (grown === undefined || entry.runs.length !== 1 || grown.runs[0]?.kind !== kind?.kind)
      throw this.#broken('each tick is accounted once', jobId, `${entry.is} crosses the cursor`)
    push(this.#folded, jobId, { ...grown, id: made.id })
    const next = this.#sequence(this.#model.job(jobId))?.next(grown.to) ?? to
    this.#write(jobId, { from: next, to, count: count - grown.count, is: entry.is })
  }

  #rangeGone(gone: RangeRow): void {
    const folded = this.#folded.get(gone.job_id) ?? []
    const own = folded.findIndex(({ id }) => id === gone.id)
    // It came in the same commit, or in one that was not looked at: what it stood for is still to be found.
    if (own !== -1 && folded[own]?.to === gone.to_at) folded.splice(own, 1)
    else push(this.#gone, gone.job_id, entryOf(gone))
  }

  /** A reset of the cursor cuts the row across its line, where its ticks can be told apart: the only split. */
  #rangeCut(before: RangeRow, after: RangeRow): void {
    const { job_id: jobId, revision } = after
    const sequence = nominalSequence(this.#model.nameOf(jobId), this.#model.specIn(jobId, revision))
    const isCut =
      before.from_at === after.from_at &&
      before.account === after.account &&
      before.reason === after.reason &&
      after.to_at < before.to_at &&
      after.count < before.count &&
      before.revision === revision &&
      before.packed === null
    if (!isCut || sequence === null)
      throw this.#broken('an account never changes', jobId, `${rangeIs(before)} became ${rangeIs(after)}`)
    this.#checkCount(jobId, sequence, entryOf(after))
    // What was taken begins at a tick: the cursor may stand anywhere between that and the last one that stayed.
    const from = sequence.next(after.to_at) ?? before.to_at
    push(this.#gone, jobId, entryOf({ ...before, from_at: from, count: before.count - after.count }))
  }

  /** What is gone from the ledger stands in it again, tick by tick, or was passed by it, or was taken back. */
  #checkFold(jobId: string, gone: readonly Entry[]): void {
    const { accounted_until: cursor, ledger_from: ledgerFrom } = this.#model.job(jobId)
    const covered = gone.filter(({ from, to }) => to >= ledgerFrom && from < cursor)
    const folded = (this.#folded.get(jobId) ?? []).filter(({ to }) => to >= ledgerFrom)
    const [before, after] = [covered, folded].map(inOrder)
    if (before !== after)
      throw this.#broken(
        'an account never vanishes',
        jobId,
        `${covered[0]?.is ?? 'nothing'} is gone, though the ledger covers it: ${before} became ${after}`,
      )
    const ends = new Set(covered.flatMap(({ from, to }) => [from, to]))
    for (const { from, to, is } of folded) {
      const between = [...this.#model.executions.values()].find(
        ({ job_id, tick_at: tick }) => job_id === jobId && tick !== null && tick >= from && tick <= to,
      )
      if (between !== undefined || !ends.has(from) || !ends.has(to))
        throw this.#broken('each tick is accounted once', jobId, `${is} covers what it does not stand for`)
    }
  }

  #seeJob(before: JobRow, after: JobRow): void {
    if (after.ledger_from < before.ledger_from && after.accounted_until >= before.accounted_until)
      throw this.#broken(
        'retention only moves forward',
        after.id,
        `the ledger went back to ${at(after.ledger_from)}`,
      )
    this.#checkSettled(before, after)
    if (after.accounted_until > before.accounted_until) this.#movedOn(before, after)
    else if (after.accounted_until < before.accounted_until) this.#movedBack(after)
  }

  /** Whatever changes an active job first accounts for what is due by then, under what held until then. */
  #checkSettled(before: JobRow, after: JobRow): void {
    if (before.state !== 'active' || after.state === 'completed' || after.state === 'error') return
    if (before.state === after.state && before.spec === after.spec) return
    const due = this.#sequence(before)?.next(after.accounted_until - 1) ?? before.open_tick_at
    if (due !== null && due <= after.updated_at)
      throw this.#broken(
        'a change settles what is due',
        after.id,
        `changed at ${at(after.updated_at)}, but ${at(due)} has no account`,
      )
  }

  #movedOn(before: JobRow, after: JobRow): void {
    const accounts = (this.#written.get(after.id) ?? []).toSorted((a, b) => a.from - b.from)
    this.#written.delete(after.id)
    const sequence = this.#sequence(before)
    if (sequence === null) return this.#checkOpenTick(before, after, accounts)
    let settled = before.accounted_until - 1
    for (const account of accounts) {
      const due = sequence.next(settled)
      if (due !== account.from) throw this.#mismatch(after, due, account)
      this.#checkCount(after.id, sequence, account)
      settled = account.to
    }
    const left = sequence.next(settled)
    if (left !== null && left < after.accounted_until)
      throw this.#broken('no tick is lost', after.id, `the cursor passed ${at(left)}, which has no account`)
    if (settled >= after.accounted_until)
      throw this.#broken(
        'a cursor moves with its accounts',
        after.id,
        `${at(settled)} was accounted, but the cursor stopped at ${at(after.accounted_until)}`,
      )
  }

  #mismatch(job: JobRow, due: number | null, account: Account): Violation {
    return due !== null && due < account.from
      ? this.#broken(
          'no tick is lost',
          job.id,
          `${at(due)} has no account; the next is of ${at(account.from)}`,
        )
      : this.#broken(
          'each tick is accounted once',
          job.id,
          `${at(account.from)} was accounted (${account.is}), but the next tick is ${at(due)}`,
        )
  }

  #checkCount(jobId: string, sequence: TickSequence, { from, to, count, is }: Account): void {
    let ticks = 0
    if (count > walked) ticks = sequence.count(from, to + 1)
    else
      for (let tick: number | null = from; tick !== null && tick <= to; tick = sequence.next(tick)) ticks += 1
    if (ticks !== count)
      throw this.#broken('a range counts its ticks', jobId, `${is} says ${count}, but there are ${ticks}`)
  }

  /** fixedDelay: the one open tick, and nothing else. */
  #checkOpenTick(before: JobRow, after: JobRow, accounts: readonly Account[]): void {
    const [account, second] = accounts
    if (second !== undefined || (account !== undefined && account.from !== before.open_tick_at))
      throw this.#broken(
        'each tick is accounted once',
        after.id,
        `${at((second ?? account)?.from)} was accounted, but the open tick is ${at(before.open_tick_at)}`,
      )
    const open = before.open_tick_at
    if (
      account === undefined &&
      open !== null &&
      open < after.accounted_until &&
      open >= before.accounted_until
    )
      throw this.#broken(
        'no tick is lost',
        after.id,
        `the cursor passed the open tick ${at(open)}, which has no account`,
      )
  }

  /** Back only over what was taken back with it. */
  #movedBack(after: JobRow): void {
    const kept = [...this.#model.executions.values()].find(
      ({ job_id: jobId, tick_at: tick }) =>
        jobId === after.id && tick !== null && tick >= after.accounted_until,
    )
    const range = this.#model.ranges(after.id).find(({ to_at: to }) => to >= after.accounted_until)
    const still = kept?.tick_at ?? range?.to_at
    if (still !== undefined)
      throw this.#broken(
        'each tick is accounted once',
        after.id,
        `the cursor went back to ${at(after.accounted_until)}, but ${at(still)} is accounted`,
      )
  }

  #sequence(job: JobRow): TickSequence | null {
    return (
      nominalSequence(job.name, specFrom(job.spec)) ??
      (specFrom(job.spec).schedule === null
        ? { next: () => null, previous: () => null, count: () => 0 }
        : null)
    )
  }

  #broken(rule: Rule, jobId: string, message: string): Violation {
    const name = this.#model.nameOf(jobId)
    return new Violation(rule, `${name}: ${message}`, name)
  }
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}
