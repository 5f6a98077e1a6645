/** Overlap, its limits, and what may cost a tick. */
import type { Change } from './change-log.ts'
import { at } from './ledger-entries.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import { Violation } from './violation.ts'

const active = new Set(['pending', 'running', 'retrying'])

export class LaneRules {
  readonly #model: Model
  readonly #touched = new Set<string>()
  /** An edit may leave more under way than the new limit allows, until they end. */
  readonly #edited = new Set<string>()
  /** By name: somebody forced a run. */
  readonly #forced = new Set<string>()

  constructor(model: Model) {
    this.#model = model
  }

  force(jobName: string): void {
    this.#forced.add(jobName)
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'execution') this.#touched.add((change.after ?? change.before)?.job_id ?? '')
    if (change.table === 'job' && change.before !== null && change.after?.spec !== change.before.spec)
      this.#edited.add(change.before.id)
    if (change.table === 'range' && change.after?.reason === 'overlap') {
      const { job_id: jobId, to_at: to } = change.after
      const own = this.#model.open(jobId).some(({ cause }) => cause === 'schedule')
      if (!own)
        throw this.#broken(
          jobId,
          "only a tick's own execution costs a tick",
          `${at(to)} was skipped for overlap, but no tick of it is under way`,
        )
    }
  }

  end(): void {
    for (const jobId of this.#touched) {
      if (!this.#model.jobs.has(jobId)) continue
      const { overlap, maxConcurrent } = this.#model.spec(jobId)
      if (overlap === 'allow' || this.#forced.has(this.#model.nameOf(jobId))) continue
      const busy = this.#model
        .open(jobId)
        .filter(({ cause, state }) => cause !== 'enqueue' && active.has(state))
      if (busy.length <= maxConcurrent) this.#edited.delete(jobId)
      else if (!this.#edited.has(jobId))
        throw this.#broken(jobId, 'overlap holds', `${busy.length} are under way, ${maxConcurrent} may be`)
    }
    this.#touched.clear()
  }

  #broken(jobId: string, rule: Rule, message: string): Violation {
    const name = this.#model.nameOf(jobId)
    return new Violation(rule, `${name}: ${message}`, name)
  }
}
