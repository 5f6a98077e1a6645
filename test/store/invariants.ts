/** What must hold of a store after every step of any history. Each check speaks by the job's name. */
import assert from 'node:assert/strict'
import type { Execution } from '../../src/core/execution/execution.ts'
import { executionTransitions, isFinal } from '../../src/core/execution/execution-state.ts'
import type { Job } from '../../src/core/job/job.ts'
import { nominalSequence } from '../../src/core/job/sequence.ts'
import type { TickSequence } from '../../src/core/schedule/schedule.ts'
import type { History, Step } from './history.ts'

interface Seen {
  readonly now: number
  readonly job: Job
  readonly executions: readonly Execution[]
  readonly skippedOverlaps: number
}

const active = ['pending', 'running', 'retrying']

export class Invariants {
  readonly #history: History
  #before = new Map<string, Seen>()
  readonly #nominal = new Map<string, NominalTicks>()

  constructor(history: History) {
    this.#history = history
  }

  async begin(): Promise<void> {
    this.#before = await this.#look()
    for (const { job } of this.#before.values()) {
      const sequence = nominalSequence(job.name, job.spec)
      if (sequence !== null) this.#nominal.set(job.name, new NominalTicks(sequence, job.ledgerFrom))
    }
  }

  async check(step: Step): Promise<void> {
    const { store } = this.#history.bench
    const report = await store.ticks.auditLedger({})
    assert.deepEqual(report.findings, [])
    assert.equal(report.unaccounted + report.doubled, 0)
    const after = await this.#look()
    for (const [name, seen] of after) {
      const before = this.#before.get(name) as Seen
      this.#checkCursor(before, seen, step)
      this.#checkExecutions(before, seen)
      this.#checkLimit(seen)
      this.#checkDue(seen)
      if (step.do === 'account') this.#checkAccount(before, seen)
      if (step.do === 'pause' && this.#history.names[step.job] === name) this.#checkPaused(seen)
      await this.#checkTotals(seen)
    }
    this.#before = after
  }

  /** After the schedules have been stopped and the workers have had their time. */
  async checkDrained(): Promise<void> {
    for (const [name, { job, executions }] of await this.#look()) {
      const left = executions.filter(({ state }) => !isFinal(state))
      assert.deepEqual(left, [], `${name}: nothing waits for ever`)
      const runsLeft = job.spec.maxRuns === null || job.runs < job.spec.maxRuns
      const goesOn = job.state === 'paused' && job.spec.schedule?.kind === 'fixed_delay' && runsLeft
      assert.ok(!goesOn || job.openTickAt !== null, `${name}: a fixedDelay goes on`)
    }
  }

  #checkCursor({ job: before }: Seen, { job, now }: Seen, step: Step): void {
    const lowest = step.do === 'account' ? before.accountedUntil : Math.min(before.accountedUntil, now + 1)
    assert.ok(job.accountedUntil >= lowest, `${job.name}: no cursor below now`)
    const moved = job.accountedUntil !== before.accountedUntil && step.do !== 'account'
    assert.ok(
      !moved || job.version > before.version,
      `${job.name}: an action that moves the cursor raises the version`,
    )
  }

  #checkExecutions(before: Seen, { job, executions }: Seen): void {
    const known = new Map(before.executions.map((execution) => [execution.id, execution]))
    for (const execution of executions) {
      const { attempt, maxAttempts } = execution
      assert.ok(attempt >= 0 && attempt <= maxAttempts, `${job.name}: attempts within limits`)
      const was = known.get(execution.id)?.state
      if (was === undefined || was === execution.state) continue
      const moves = executionTransitions[was]
      // Within one step an execution may be released and go on at once.
      const reachable = new Set(moves.flatMap((state) => [state, ...executionTransitions[state]]))
      assert.ok(reachable.has(execution.state), `${job.name}: no way from ${was} to ${execution.state}`)
    }
    for (const claim of this.#history.lastClaimed) {
      const runs = claim.jobId === job.id && job.state === 'cancelled'
      assert.ok(!runs, `${job.name}: a cancelled job runs nothing`)
    }
  }

  #checkLimit({ job, executions }: Seen): void {
    if (job.spec.overlap === 'allow' || this.#history.unlimited.has(job.name)) return
    const busy = executions.filter(({ cause, state }) => cause !== 'enqueue' && active.includes(state))
    assert.ok(busy.length <= job.spec.maxConcurrent, `${job.name}: never more than maxConcurrent`)
  }

  /** A tick that is still to come is waited for. */
  #checkDue({ job, executions }: Seen): void {
    const { schedule } = job.spec
    if (schedule?.kind === 'fixed_delay') {
      const open = executions.filter(({ tickAt, state }) => tickAt !== null && !isFinal(state)).length
      const due = job.openTickAt === null ? 0 : 1
      assert.ok(job.state !== 'active' || open + due > 0, `${job.name}: a fixedDelay goes on`)
      const edited = this.#history.edited.has(job.name)
      assert.ok(edited || open + due <= 1, `${job.name}: a fixedDelay has one open tick`)
      return
    }
    const next = nominalSequence(job.name, job.spec)?.next(job.accountedUntil - 1) ?? null
    if (job.state === 'active') assert.equal(job.nextDueAt, next, `${job.name}: knows its next tick`)
    if (job.state === 'completed' && job.spec.maxRuns === null && !this.#history.edited.has(job.name)) {
      assert.equal(next, null, `${job.name}: completed only after its last tick`)
    }
  }

  #checkAccount(before: Seen, { job, now, executions, skippedOverlaps }: Seen): void {
    const { pause } = before.job
    if (pause !== null && (pause.until === null || pause.until > now)) {
      const made = executions.length - before.executions.length
      const moved = job.accountedUntil - before.job.accountedUntil
      assert.deepEqual({ made, moved }, { made: 0, moved: 0 }, `${job.name}: a paused job makes nothing`)
    }
    if (job.spec.overlap === 'skip' && skippedOverlaps > before.skippedOverlaps) {
      const own = before.executions.filter(({ cause, state }) => cause === 'schedule' && !isFinal(state))
      assert.ok(own.length > 0, `${job.name}: only a tick's own execution costs a tick`)
    }
  }

  /** What was accounted ahead and not claimed is taken back, unless a later tick is already settled. */
  #checkPaused({ job, now, executions }: Seen): void {
    if (job.state !== 'paused') return
    const ticks = executions.filter(({ tickAt }) => tickAt !== null && tickAt > now)
    const settled = Math.max(
      now,
      ...ticks.map(({ tickAt, state }) => (state === 'pending' ? 0 : (tickAt ?? 0))),
    )
    const left = ticks.filter(({ tickAt, state }) => state === 'pending' && (tickAt ?? 0) > settled)
    assert.deepEqual(left, [], `${job.name}: a pause takes back what nobody has claimed`)
  }

  async #checkTotals({ job }: Seen): Promise<void> {
    const nominal = this.#nominal.get(job.name)
    if (nominal === undefined || this.#history.edited.has(job.name)) return
    const [counted] = await this.#history.bench.sql(
      `SELECT (SELECT coalesce(sum(count), 0) FROM @ledger_totals WHERE job_id = ?)
         + (SELECT count(*) FROM @job_executions WHERE job_id = ? AND tick_at >= ?)
         + (SELECT coalesce(sum(count), 0) FROM @tick_ranges WHERE job_id = ? AND from_at >= ?) AS ticks`,
      job.id,
      job.id,
      job.ledgerFrom,
      job.id,
      job.ledgerFrom,
    )
    const all = nominal.below(job.accountedUntil)
    assert.equal(counted?.['ticks'], all, `${job.name}: totals + ledger = all ticks`)
  }

  async #look(): Promise<Map<string, Seen>> {
    const { names, hand, now, bench } = this.#history
    const seen = new Map<string, Seen>()
    for (const name of names) {
      const job = await hand.job(name)
      const [skipped] = await bench.sql(
        `SELECT coalesce(sum(count), 0) AS n FROM @tick_ranges WHERE job_id = ? AND reason = 'overlap'`,
        job.id,
      )
      seen.set(name, {
        now,
        job,
        executions: await hand.executions(name),
        skippedOverlaps: Number(skipped?.['n']),
      })
    }
    return seen
  }
}

/** Counts by walking tick by tick, where the code under test counts by arithmetic. */
class NominalTicks {
  readonly #sequence: TickSequence
  readonly #ticks: number[] = []
  #walked: number

  constructor(sequence: TickSequence, from: number) {
    this.#sequence = sequence
    this.#walked = from - 1
  }

  below(until: number): number {
    for (let tick = this.#sequence.next(this.#walked); tick !== null; tick = this.#sequence.next(tick)) {
      if (tick >= until) break
      this.#ticks.push(tick)
      this.#walked = tick
    }
    let count = this.#ticks.length
    while (count > 0 && (this.#ticks[count - 1] as number) >= until) count -= 1
    return count
  }
}
