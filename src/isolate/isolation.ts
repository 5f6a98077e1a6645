/** The children of a node: a run takes one that is warm, or starts one; what is idle for long, or too much, ends. */
import { availableParallelism } from 'node:os'
import { EvertickError } from '../core/error.ts'
import type { JobSpec } from '../core/job/job.ts'
import type { Clock } from '../engine/clock.ts'
import type { JobContext, RunningAttempt } from '../engine/worker/handler.ts'
import { refuseUnwatched } from '../handlers/quota.ts'
import { Isolate } from './isolate.ts'
import { IsolatedRun } from './isolated-run.ts'
import type { ChildOptions, IsolateMode } from './transport.ts'

export interface Isolated {
  readonly module: URL
  readonly mode: IsolateMode
}

const idleMs = 60_000
/** More than this can work at once anyhow only while they wait. */
const mostIdle = Math.max(4, availableParallelism())

export class Isolation {
  readonly #clock: Clock
  readonly #environment: () => ChildOptions['environment']
  readonly #living = new Set<Isolate>()
  /** With what cancels their end; the longest idle first. */
  readonly #idle = new Map<Isolate, () => void>()
  #runs = 0
  #isClosed = false

  constructor(clock: Clock, environment: () => ChildOptions['environment']) {
    this.#clock = clock
    this.#environment = environment
  }

  async run(
    { module, mode }: Isolated,
    context: JobContext,
    { quota }: JobSpec,
    attempt: RunningAttempt,
  ): Promise<unknown> {
    if (mode === 'process') refuseUnwatched(quota)
    const child = this.#take({
      mode,
      module: module.href,
      memory: quota.memory,
      environment: this.#environment(),
    })
    this.#runs += 1
    try {
      const timer = (ms: number, callback: () => void) => this.#clock.timer(ms, callback)
      const redact = (text: string, isCut?: boolean) => attempt.redact(text, isCut)
      const run = new IsolatedRun(child, this.#runs, context, { quota, redact, timer })
      attempt.measuredBy(() => run.usage)
      return await run.ended()
    } finally {
      this.#keep(child)
    }
  }

  /** Leaves none behind. */
  async close(): Promise<void> {
    this.#isClosed = true
    const living = [...this.#living]
    for (const child of living) this.#end(child)
    await Promise.all(living.map((child) => child.exited))
  }

  #take(options: ChildOptions): Isolate {
    if (this.#isClosed) throw new EvertickError('not_running', 'This node has been stopped.')
    for (const [child, cancelEnd] of this.#idle) {
      if (!isFor(child.options, options)) continue
      cancelEnd()
      this.#idle.delete(child)
      if (child.isAlive) return child
    }
    const child = new Isolate(options)
    this.#living.add(child)
    void child.exited.then(() => this.#forget(child))
    return child
  }

  #keep(child: Isolate): void {
    if (!child.isAlive) return
    this.#idle.set(
      child,
      this.#clock.timer(idleMs, () => this.#end(child)),
    )
    const [longest] = this.#idle.keys()
    if (this.#idle.size > mostIdle && longest !== undefined) this.#end(longest)
  }

  #end(child: Isolate): void {
    this.#forgetIdle(child)
    child.kill()
  }

  #forget(child: Isolate): void {
    this.#forgetIdle(child)
    this.#living.delete(child)
  }

  #forgetIdle(child: Isolate): void {
    this.#idle.get(child)?.()
    this.#idle.delete(child)
  }
}

function isFor(has: ChildOptions, asked: ChildOptions): boolean {
  return has.mode === asked.mode && has.module === asked.module && has.memory === asked.memory
}
