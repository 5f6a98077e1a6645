/** Limits that a job's policies set, and a schedule that goes on. */
import { bufferLimits } from '../../../src/core/execution/overlap.ts'
import { nominalSequence } from '../../../src/core/job/sequence.ts'
import type { Change, ExecutionRow } from './change-log.ts'
import { at } from './ledger-entries.ts'
import { isUnstarted, type Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

export class JobRules {
  readonly #model: Model
  readonly #touched = new Set<string>()
  /** What was made under other policies may be more than the new ones allow. */
  readonly #edited = new Set<string>()
  /** Executions whose handler has begun at least once: a snooze gives the attempt back, but not the start. */
  readonly #begun = new Set<string>()

  constructor(model: Model) {
    this.#model = model
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'execution') {
      this.#touched.add((change.after ?? change.before)?.job_id ?? '')
      if (change.after !== null && change.after.started_at !== null) this.#begun.add(change.after.id)
    }
    if (change.table !== 'job') return
    const { before, after } = change
    this.#touched.add((after ?? before)?.id ?? '')
    if (before !== null && before.spec !== after?.spec) this.#edited.add(before.id)
  }

  end(): void {
    for (const jobId of this.#touched) {
      if (!this.#model.jobs.has(jobId)) continue
      const open = this.#model.open(jobId).filter(({ cause }) => cause !== 'enqueue')
      this.#checkDue(jobId, open)
      if (!this.#edited.has(jobId)) this.#checkLimits(jobId, open)
    }
    this.#touched.clear()
  }

  /** A tick that is still to come is waited for. */
  #checkDue(jobId: string, open: readonly ExecutionRow[]): void {
    const job = this.#model.job(jobId)
    const spec = this.#model.spec(jobId)
    if (spec.schedule === null || job.state !== 'active') return
    if (spec.schedule.kind === 'fixed_delay') {
      const ticks = open.filter(({ tick_at: tick }) => tick !== null).length
      const due = job.open_tick_at === null ? 0 : 1
      if (ticks + due === 0)
        throw this.#broken(jobId, 'a fixedDelay goes on', 'it has no tick to come and none under way')
      if (ticks + due > 1 && !this.#edited.has(jobId))
        throw this.#broken(jobId, 'a fixedDelay has one open tick', `it has ${ticks + due}`)
      return
    }
    const next = nominalSequence(job.name, spec)?.next(job.accounted_until - 1) ?? null
    if (job.next_due_at !== next)
      throw this.#broken(
        jobId,
        'a job knows its next tick',
        `it waits for ${at(job.next_due_at)}, but ${at(next)} is next`,
      )
  }

  #checkLimits(jobId: string, open: readonly ExecutionRow[]): void {
    const { runs } = this.#model.job(jobId)
    const { catchUp, overlap, maxRuns } = this.#model.spec(jobId)
    if (maxRuns !== null && runs > maxRuns)
      throw this.#broken(jobId, 'maxRuns holds', `${runs} of ${maxRuns} runs`)
    const unstarted = open.filter(
      (execution) =>
        execution.cause === 'catch_up' && isUnstarted(execution) && !this.#begun.has(execution.id),
    )
    if (unstarted.length > catchUp.maxMissedRuns)
      throw this.#broken(
        jobId,
        'maxMissedRuns holds',
        `${unstarted.length} catch-ups wait, ${catchUp.maxMissedRuns} may`,
      )
    if (overlap !== 'buffer_one' && overlap !== 'buffer_all') return
    const buffered = open.filter(
      ({ cause, state }) => state === 'blocked' && (cause === 'schedule' || cause === 'manual'),
    )
    if (buffered.length > bufferLimits[overlap])
      throw this.#broken(jobId, 'the buffer has its limit', `${buffered.length} wait in ${overlap}`)
  }

  #broken(jobId: string, rule: Rule, message: string): Violation {
    const name = this.#model.nameOf(jobId)
    return new Violation(rule, `${name}: ${message}`, name)
  }
}
