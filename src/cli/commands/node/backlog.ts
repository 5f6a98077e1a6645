/** What this process could still work on in its queues. */

import { setTimeout as sleep } from 'node:timers/promises'
import { contextOf } from '../../../app/app-context.ts'
import type { ExecutionView } from '../../../app/views.ts'
import { handlerKey } from '../../../core/job/handler.ts'
import type { Evertick } from '../../../evertick.ts'

const pageSize = 500

export class Backlog {
  readonly #evertick: Evertick
  readonly #queues: readonly string[]
  readonly #handlerOfJob = new Map<string, string>()

  constructor(evertick: Evertick, queues: readonly string[]) {
    this.#evertick = evertick
    this.#queues = queues
  }

  /** The first queue with an execution that could start now. */
  async firstReady(): Promise<string | null> {
    for (const queue of await this.#open()) {
      for (const state of ['pending', 'retrying', 'sleeping', 'waiting'] as const) {
        if (await this.#some(queue, state, (execution) => isDue(execution))) return queue
      }
    }
    return null
  }

  async untilEmpty(everyMs: number): Promise<void> {
    while (!(await this.#empty())) await sleep(everyMs)
  }

  async warnOfPaused(warn: (queue: string) => void): Promise<void> {
    for (const { name, pausedAt } of await this.#evertick.queues.list()) {
      if (pausedAt !== null && this.#queues.includes(name)) warn(name)
    }
  }

  /**
   * Retries count, since what was started is to be finished; executions that are not due yet do not, nor those that sleep or
   * wait for a signal: that may take weeks.
   */
  async #empty(): Promise<boolean> {
    if (this.#evertick.running > 0) return false
    for (const queue of await this.#open()) {
      const isBusy =
        (await this.#some(queue, 'running', ({ leasedBy }) => leasedBy === this.#evertick.nodeId)) ||
        (await this.#some(queue, 'pending', isDue)) ||
        (await this.#some(queue, 'retrying', () => true)) ||
        (await this.#some(queue, 'blocked', isDue)) ||
        (await this.#some(queue, 'sleeping', isDue)) ||
        (await this.#some(queue, 'waiting', isDue))
      if (isBusy) return false
    }
    return true
  }

  /** The queues that are not paused. */
  async #open(): Promise<string[]> {
    const queues = await this.#evertick.queues.list()
    const paused = new Set(queues.flatMap(({ name, pausedAt }) => (pausedAt === null ? [] : [name])))
    return this.#queues.filter((name) => !paused.has(name))
  }

  async #some(
    queue: string,
    state: ExecutionView['state'],
    matches: (execution: ExecutionView) => boolean,
  ): Promise<boolean> {
    let cursor: string | null = null
    do {
      const page: { executions: ExecutionView[]; nextCursor: string | null } =
        await this.#evertick.executions.list({
          queue,
          state,
          limit: pageSize,
          ...(cursor === null ? {} : { cursor }),
        })
      for (const execution of page.executions) {
        if (matches(execution) && (await this.#canRun(execution))) return true
      }
      cursor = page.nextCursor
    } while (cursor !== null)
    return false
  }

  /** Executions without a handler on this node are left to others. */
  async #canRun({ jobId }: ExecutionView): Promise<boolean> {
    const known = this.#handlerOfJob.get(jobId)
    const handler = known ?? handlerKey((await this.#evertick.jobs.get(jobId)).handler)
    this.#handlerOfJob.set(jobId, handler)
    return contextOf(this.#evertick).canRun(handler)
  }
}

function isDue({ readyAt }: ExecutionView): boolean {
  return readyAt.getTime() <= Date.now()
}
