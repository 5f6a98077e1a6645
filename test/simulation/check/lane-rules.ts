/** Overlap, its limits, and what may cost a tick. */
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import type { Change } from './change-log.ts'
import { at } from './ledger-entries.ts'
import type { Model } from './model.ts'
import type { Rule } from './rules.ts'
import type { Scene } from './scene.ts'
import { Violation } from './violation.ts'

const isChained = (cause: string) => cause === 'catch_up' || cause === 'backfill'
const active = new Set(['pending', 'running', 'retrying'])

export class LaneRules {
  readonly #model: Model
  readonly #scene: Scene
  readonly #touched = new Set<string>()
  /** When the last of a lane ended in this commit, by job. */
  readonly #ended = new Map<string, number>()
  /** An edit may leave more under way than the new limit allows, until they end. */
  readonly #edited = new Set<string>()
  /** By name: somebody forced a run. */
  readonly #forced = new Set<string>()

  constructor(model: Model, scene: Scene) {
    this.#model = model
    this.#scene = scene
  }

  force(jobName: string): void {
    this.#forced.add(jobName)
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'execution') this.#touched.add((change.after ?? change.before)?.job_id ?? '')
    if (change.table === 'execution' && change.before !== null && change.after !== null) {
      const { before, after } = change
      if (!isFinal(before.state) && isFinal(after.state) && after.cause !== 'enqueue')
        this.#ended.set(after.job_id, after.finished_at ?? 0)
    }
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
    for (const [jobId, at] of this.#ended) this.#checkSettled(jobId, at)
    this.#touched.clear()
    this.#ended.clear()
  }

  /** What may go next has been released with the end. */
  #checkSettled(jobId: string, endedAt: number): void {
    if (!this.#model.jobs.has(jobId)) return
    const { overlap, maxConcurrent } = this.#model.spec(jobId)
    const lane = this.#model.open(jobId).filter(({ cause }) => cause !== 'enqueue')
    const busy = lane.filter(({ state }) => active.has(state))
    if (overlap === 'allow' || busy.length >= maxConcurrent) return
    const chainGoes = !this.#scene.wrongClocks && !busy.some(({ cause }) => isChained(cause))
    const left = lane.find(
      ({ state, cause, ready_at: readyAt }) =>
        state === 'blocked' && (isChained(cause) ? chainGoes && readyAt <= endedAt : true),
    )
    if (left !== undefined)
      throw this.#broken(
        jobId,
        'nothing final without its settlement',
        `one has ended, and a ${left.cause} that may go stays blocked`,
      )
  }

  #broken(jobId: string, rule: Rule, message: string): Violation {
    const name = this.#model.nameOf(jobId)
    return new Violation(rule, `${name}: ${message}`, name)
  }
}
