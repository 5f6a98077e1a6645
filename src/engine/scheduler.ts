/**
 * Turns due ticks into executions, while this node leads. It sleeps until the next tick is near, wakes on change, and
 * works in batches between which on-time ticks and the leader's renewal get their turn.
 */
import type { LeaderTerm } from '../core/leader/term.ts'
import type { DueJob } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import { holdMs, type JumpGuard } from './jump-guard.ts'
import type { Releaser } from './releaser.ts'
import { Alarm, Service } from './service.ts'

export interface SchedulerOptions {
  /** How far ahead of its instant a tick may be accounted. */
  readonly aheadMs: number
  /** Cluster-wide: catch-up executions become ready this far apart. */
  readonly catchUpEveryMs: number
}

export const scanLimit = 1_000
export const batchExecutions = 1_000
const batchMs = 100

export class Scheduler extends Service {
  readonly #context: EngineContext
  readonly #options: SchedulerOptions
  readonly #elector: Elector
  readonly #releaser: Releaser
  readonly #alarm: Alarm
  readonly #onReady: () => void
  readonly #guard: JumpGuard
  #catchUpFrom = 0
  #handledTerm = 0

  constructor(
    context: EngineContext,
    options: SchedulerOptions,
    parts: {
      readonly elector: Elector
      readonly releaser: Releaser
      readonly guard: JumpGuard
      readonly onReady: () => void
    },
  ) {
    super()
    this.#context = context
    this.#options = options
    this.#elector = parts.elector
    this.#releaser = parts.releaser
    this.#onReady = parts.onReady
    this.#alarm = new Alarm(context.clock)
    this.#guard = parts.guard
  }

  /** A job changed, or this node was elected. */
  wake(): void {
    this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let wakeAt = this.#context.clock.now() + this.#context.clock.longestSleepMs
      try {
        const term = this.#elector.term()
        if (term !== null) {
          const held = this.#guard.holds()
          const nextAt = held ? this.#context.clock.now() + holdMs : await this.#pass(term)
          wakeAt = Math.min(wakeAt, nextAt)
        }
      } catch (error) {
        this.#context.logger.warn('Could not account for due ticks; trying again', { error })
        wakeAt = this.#context.clock.now() + 1_000
      }
      await this.#alarm.wait(wakeAt - this.#context.clock.now(), signal)
    }
  }

  /** Accounts for everything that is due or nearly so; returns when to look again. */
  async #pass(term: LeaderTerm): Promise<number> {
    const { aheadMs } = this.#options
    const now = this.#context.clock.now()
    const due = await this.#context.store.ticks.findDueJobs(now + aheadMs, scanLimit)
    const deferred = await this.#account(term, due.jobs)
    if (deferred === 'lost') return now + this.#context.clock.longestSleepMs
    if (this.#handledTerm !== term.id && due.jobs.length < scanLimit) await this.#closeGap(term)
    if (deferred.again || due.jobs.length === scanLimit) return now
    return Math.min(
      due.nextDueAt === null ? Number.POSITIVE_INFINITY : this.#lookAt(due.nextDueAt, now),
      deferred.nextDueAt === null ? Number.POSITIVE_INFINITY : this.#lookAt(deferred.nextDueAt, now),
    )
  }

  /** A tick whose look-ahead has begun was deferred: something of its job is in the way, so it is decided when due. */
  #lookAt(dueAt: number, now: number): number {
    const early = dueAt - this.#options.aheadMs
    return early > now ? early : dueAt
  }

  async #account(
    term: LeaderTerm,
    jobs: readonly DueJob[],
  ): Promise<'lost' | { readonly nextDueAt: number | null; readonly again: boolean }> {
    let rest = jobs
    let nextDueAt: number | null = null
    let again = false
    while (rest.length > 0) {
      const now = this.#context.clock.now()
      // From when the batch runs, not from when it began to wait for the writer.
      let startedAt: number | null = null
      this.#catchUpFrom = Math.max(this.#catchUpFrom, now)
      if (this.#elector.term()?.id !== term.id) return 'lost'
      const result = await this.#context.store.ticks.accountTicks({
        leader: { termId: term.id, holder: this.#context.nodeId },
        termStartAt: term.startAt,
        jobs: rest,
        now,
        aheadMs: this.#options.aheadMs,
        catchUpFrom: this.#catchUpFrom,
        catchUpEveryMs: this.#options.catchUpEveryMs,
        maxExecutions: batchExecutions,
        outOfTime: () => {
          startedAt ??= this.#context.clock.monotonic()
          return this.#context.clock.monotonic() - startedAt > batchMs
        },
      })
      if (!result.led) {
        this.#elector.doubt(term.id)
        return 'lost'
      }
      rest = rest.slice(result.done)
      this.#catchUpFrom += result.catchUps * this.#options.catchUpEveryMs
      for (const { jobName: job, ticks, executions, ranges, accounts } of result.accounted) {
        this.#context.events.emit('tick:accounted', { job, ticks, executions, ranges, accounts })
      }
      this.#releaser.add(result.releases)
      if (result.readyAt !== null) this.#onReady()
      if (result.nextDueAt !== null) nextDueAt = Math.min(nextDueAt ?? result.nextDueAt, result.nextDueAt)
      again ||= result.stale > 0
    }
    return { nextDueAt, again }
  }

  async #closeGap(term: LeaderTerm): Promise<void> {
    if (await this.#context.store.cluster.markMissedHandled(term.id, this.#context.clock.now()))
      this.#handledTerm = term.id
  }
}
