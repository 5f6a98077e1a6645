/** Limits: whoever runs has its share, and there are never more than may. */
import { limitId } from '../../../src/core/execution/limit.ts'
import type { Change } from './change-log.ts'
import type { Model } from './model.ts'
import { Violation } from './violation.ts'

export class LimitRules {
  readonly #model: Model
  readonly #touched = new Set<string>()

  constructor(model: Model) {
    this.#model = model
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'execution' && change.after?.state === 'running')
      this.#touched.add(change.after.job_id)
  }

  end(): void {
    for (const jobId of this.#touched) {
      if (!this.#model.jobs.has(jobId)) continue
      const running = new Map<string, number>()
      for (const { state, limit_keys: keys } of this.#model.open(jobId)) {
        for (const [key, limit] of state === 'running'
          ? (JSON.parse(keys ?? '[]') as [string, string][])
          : [])
          running.set(`${key} ${limit}`, (running.get(`${key} ${limit}`) ?? 0) + 1)
      }
      for (const [carried, count] of running) {
        const most = this.#mostOf(jobId, carried.slice(carried.indexOf(' ') + 1))
        if (most === null || count <= most) continue
        const name = this.#model.nameOf(jobId)
        throw new Violation('limits hold', `${name}: ${count} run under a limit of ${most}`, name)
      }
    }
    this.#touched.clear()
  }

  /** Of one of the job's own; what is shared is not in its definition. */
  #mostOf(jobId: string, limit: string): number | null {
    const own = this.#model
      .spec(jobId)
      .limits.find((one) => typeof one !== 'string' && limitId(jobId, one) === limit)
    return own === undefined || typeof own === 'string' ? null : own.concurrency
  }
}
