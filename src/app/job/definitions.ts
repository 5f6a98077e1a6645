/** The jobs that this process defines, and the handlers of those that have one. Some come only while the node runs. */
import { EvertickError } from '../../core/error.ts'
import type { Handler } from '../../engine/worker/handler.ts'
import type { Isolation } from '../../isolate/isolation.ts'
import type { AnyJob } from '../config/options.ts'
import { handlerOf } from './define-job.ts'

export class Definitions {
  readonly #jobs = new Map<string, AnyJob>()
  readonly #handlers = new Map<string, Handler>()

  readonly #isolation: Isolation

  constructor(jobs: readonly AnyJob[], isolation: Isolation) {
    this.#isolation = isolation
    for (const job of jobs) {
      if (this.#jobs.has(job.name)) {
        throw new EvertickError('invalid_config', `Two jobs are named "${job.name}".`, {
          field: 'jobs',
          next: 'Give each job its own name.',
        })
      }
      this.set(job)
    }
  }

  get jobs(): ReadonlyMap<string, AnyJob> {
    return this.#jobs
  }

  /** Always the same map, so that its holders see every change. */
  get handlers(): ReadonlyMap<string, Handler> {
    return this.#handlers
  }

  set(job: AnyJob): void {
    this.#jobs.set(job.name, job)
    const handler = handlerOf(job, this.#isolation)
    if (handler === null) this.#handlers.delete(job.name)
    else this.#handlers.set(job.name, handler)
  }

  /** A handler with no job of its own: that of jobs which others have made, or will make. */
  setHandler(handler: Handler): void {
    this.#handlers.set(handler.name, handler)
  }

  deleteHandler(name: string): boolean {
    return this.#handlers.delete(name)
  }

  delete(name: string): boolean {
    this.#handlers.delete(name)
    return this.#jobs.delete(name)
  }
}
