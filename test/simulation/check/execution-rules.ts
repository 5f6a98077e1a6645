/** One live lease per execution, fenced writes, counted attempts, and ends that stay ends. */
import { leaseSlackMs } from '../../../src/core/attempt/lease.ts'
import { executionTransitions, isFinal } from '../../../src/core/execution/execution-state.ts'
import { earlyMs } from '../../../src/engine/worker/performer.ts'
import type { Change, ExecutionRow, ReserveRow } from './change-log.ts'
import { at } from './ledger-entries.ts'
import { isUnstarted, type Model } from './model.ts'
import type { Rule } from './rules.ts'
import type { Scene } from './scene.ts'
import { Violation } from './violation.ts'

/** Whoever acts says when it asked; its call may have hung since. */
const longestCallMs = 20_000

export class ExecutionRules {
  readonly #model: Model
  readonly #scene: Scene
  readonly #starts = new Map<string, number>()
  readonly #snoozes = new Map<string, number>()
  readonly #effects = new Map<string, number>()
  readonly #endedWell = new Set<string>()
  /** A snooze or a rest gives the attempt back, but not the start. */
  readonly #begun = new Set<string>()
  /** Effects of this commit, whose execution must complete in it. */
  #effectsNow: string[] = []
  attempts = 0

  constructor(model: Model, scene: Scene) {
    this.#model = model
    this.#scene = scene
  }

  /** A handler begins. */
  started(id: string, attempt: number, nodeId: string): void {
    const row = this.#model.executions.get(id)
    const key = `${id}:${attempt}`
    this.attempts += 1
    this.#begun.add(id)
    this.#starts.set(key, (this.#starts.get(key) ?? 0) + 1)
    if ((this.#starts.get(key) ?? 0) > 1 + (this.#snoozes.get(id) ?? 0))
      throw this.#broken('an attempt starts once', id, `attempt ${attempt} was started twice`)
    if (row === undefined || row.state !== 'running' || row.leased_by !== nodeId) return
    const counted = this.#model.begunAttempts(row)
    if (counted !== attempt || !this.#model.hasBegun(row))
      throw this.#broken(
        'attempts count at their start',
        id,
        `attempt ${attempt} began, but ${counted} are counted`,
      )
    const clock = this.#scene.member(nodeId)?.clock
    if (!this.#scene.wrongClocks && clock !== undefined && clock.now() < row.ready_at)
      throw this.#broken(
        'nothing starts early',
        id,
        `it began at ${at(clock.now())}, but was ready at ${at(row.ready_at)}`,
      )
    if (counted > row.max_attempts)
      throw this.#broken(
        'attempts stay within their limit',
        id,
        `attempt ${attempt} of ${row.max_attempts} began`,
      )
  }

  /** A handler returned, as far as it knows. */
  endedWell(id: string): void {
    this.#endedWell.add(id)
  }

  /** Before the change is in the model. */
  see(change: Change): void {
    if (change.table === 'effect' && change.after !== null) {
      const id = change.after.execution_id
      this.#effects.set(id, (this.#effects.get(id) ?? 0) + 1)
      this.#effectsNow.push(id)
      if ((this.#effects.get(id) ?? 0) > 1)
        throw this.#broken('effects happen exactly once', id, 'its transaction was committed twice')
    }
    if (change.table === 'reserve' && change.after !== null) this.#seeReserve(change.before, change.after)
    if (change.table !== 'execution') return
    const { before, after } = change
    this.#seeUnbegun(before, after)
    if (after === null) return
    if (before === null) return this.#seeNew(after)
    if (isFinal(before.state))
      throw this.#broken('final states stay final', after.id, `${before.state}, and changed again`)
    if (before.state !== after.state && !executionTransitions[before.state].includes(after.state))
      throw this.#broken('states follow their table', after.id, `went from ${before.state} to ${after.state}`)
    if (before.state !== 'running' && after.state === 'running') this.#seeClaim(before, after)
    else if (before.fence !== after.fence)
      throw this.#broken('only a claim raises the fence', after.id, 'its fence changed')
    if (before.state === 'running') this.#seeLeased(before, after)
    if (after.attempt < this.#model.begunAttempts(before))
      this.#snoozes.set(after.id, (this.#snoozes.get(after.id) ?? 0) + 1)
  }

  end(): void {
    for (const id of this.#effectsNow) {
      if (this.#model.executions.get(id)?.state !== 'completed')
        throw this.#broken('effects commit with the completion', id, 'its effect was committed without it')
    }
    this.#effectsNow = []
  }

  #seeUnbegun(before: ExecutionRow | null, after: ExecutionRow | null): void {
    if (before === null || isFinal(before.state) || !this.#begun.has(before.id)) return
    const { id, cancel_reason: reason } = after ?? before
    const isFor = ['superseded', 'start_deadline'].includes(reason ?? '')
    if (after === null || (isFor && before.cancel_reason !== reason))
      throw this.#broken(
        'what has begun is not unstarted again',
        id,
        `it has begun, and was ${reason ?? 'deleted'}`,
      )
  }

  /** When all is over. */
  finish(isTransactional: (jobName: string) => boolean): void {
    for (const execution of this.#model.executions.values()) {
      if (execution.state !== 'completed') continue
      const transactional = isTransactional(this.#model.nameOf(execution.job_id))
      if (transactional && this.#effects.get(execution.id) !== 1)
        throw this.#broken('effects happen exactly once', execution.id, 'it completed without its effect')
      if (!transactional && !this.#endedWell.has(execution.id))
        throw this.#broken('completed means done', execution.id, 'no handler of it ever returned')
    }
  }

  #seeNew(after: ExecutionRow): void {
    // Enqueued into a slot.
    if (after.state === 'running') this.#seeClaim({ ...after, state: 'pending', fence: 0, attempt: 0 }, after)
    if (after.unique_key !== null) {
      const twin = this.#model
        .open(after.job_id)
        .find(({ unique_key: key, id }) => key === after.unique_key && id !== after.id)
      if (twin !== undefined)
        throw this.#brokenIn(
          after.job_id,
          'one unfinished execution per unique key',
          after.id,
          `"${after.unique_key}" is taken by an unfinished one`,
        )
    }
  }

  #seeClaim(before: ExecutionRow, after: ExecutionRow): void {
    const { writer } = this.#scene
    const job = this.#model.job(after.job_id)
    if (after.fence !== before.fence + 1)
      throw this.#broken(
        'running begins with a claim',
        after.id,
        `${before.state} became running under the old fence`,
      )
    if (after.leased_by === null || after.leased_until === null || after.leased_by !== writer?.nodeId)
      throw this.#broken(
        'a claim is a lease',
        after.id,
        `claimed by ${writer?.nodeId}, leased by ${after.leased_by}`,
      )
    if (job.state === 'cancelled')
      throw this.#broken('a cancelled job runs nothing', after.id, 'claimed after the cancel')
    if ((this.#model.queues.get(after.queue)?.paused_at ?? null) !== null)
      throw this.#broken('a paused queue hands out nothing', after.id, `the queue ${after.queue} is paused`)
    this.#seeBegin(before, after)
    // What had been claimed before the pause is retried.
    if (before.fence === 0) this.#seePause(after, 'claimed')
  }

  /** What an edit has settled stays settled: an operator whose clock is behind takes back nothing of an earlier revision. */
  #seePause(row: ExecutionRow, what: string): void {
    const job = this.#model.job(row.job_id)
    const tick = row.cause === 'schedule' ? row.tick_at : null
    if (job.state !== 'paused' || tick === null) return
    if (tick <= Math.max(job.paused_at ?? 0, job.revision_from - 1) || this.#laterTickTaken(row)) return
    throw this.#broken(
      'a paused job makes nothing',
      row.id,
      `the tick ${at(tick)} was ${what} after the pause at ${at(job.paused_at)}`,
    )
  }

  /** By the clock that wrote both. */
  #seeBegin(before: ExecutionRow, after: ExecutionRow): void {
    if (before.start_by === null || before.attempt > 0 || after.started_at === null) return
    if (after.started_at > before.start_by)
      throw this.#broken(
        'nothing starts after its deadline',
        after.id,
        `it began at ${at(after.started_at)}, but had to by ${at(before.start_by)}`,
      )
  }

  /** What lies before a later account that cannot be taken back stays, or the cursor would pass it without one. */
  #laterTickTaken({ job_id: jobId, tick_at: tick }: ExecutionRow): boolean {
    const isLater = (other: number | null) => other !== null && other > (tick ?? 0)
    if (this.#model.ranges(jobId).some(({ to_at: to }) => isLater(to))) return true
    return [...this.#model.executions.values()].some(
      (other) => other.job_id === jobId && isLater(other.tick_at) && !isUnstarted(other),
    )
  }

  #seeLeased(before: ExecutionRow, after: ExecutionRow): void {
    const holds = this.#scene.writer?.nodeId === before.leased_by
    if (after.state === 'running') {
      const renewed = before.leased_until !== after.leased_until || before.attempt !== after.attempt
      if (renewed && !holds)
        throw this.#broken(
          'one live lease per execution',
          after.id,
          `${this.#scene.writer?.nodeId} wrote into the lease of ${before.leased_by}`,
        )
      if (before.started_at !== null || after.started_at === null) return
      if (after.attempt !== before.attempt + 1)
        throw this.#broken('attempts count at their start', after.id, 'its start was not counted')
      // Else it has begun by its place, and its row says so only now.
      if (!this.#model.hasBegun(before)) this.#seeStart(before, after)
      return
    }
    if (holds || this.#isTakenAhead(before, after)) return
    if (after.state === 'completed')
      throw this.#broken(
        'a stale fence is refused',
        after.id,
        `${this.#scene.writer?.nodeId} completed it under the lease of ${before.leased_by}`,
      )
    this.#seeExpired(before, after)
  }

  #seeStart(before: ExecutionRow, after: ExecutionRow): void {
    this.#seeBegin(before, after)
    if (this.#model.job(after.job_id).state === 'cancelled' || before.cancel_requested_at !== null)
      throw this.#broken('a cancelled job runs nothing', after.id, 'it began after the cancel')
    if (before.attempt === 0 && before.fence === 1) this.#seePause(before, 'begun')
  }

  /** A mark of a reserve: everything up to it begins. */
  #seeReserve(before: ReserveRow | null, after: ReserveRow): void {
    const from = before?.begun_to ?? 0
    if (after.begun_to === from) return
    for (const row of this.#model.executions.values()) {
      const { leased_by: holder, queue, reserve_place: place } = row
      if (row.state !== 'running' || row.started_at !== null || place === null) continue
      if (holder !== after.node_id || queue !== after.queue) continue
      if (place < after.from_place || place <= from || place > after.begun_to) continue
      if (row.start_by !== null || (row.cause !== 'enqueue' && row.cause !== 'schedule'))
        throw this.#broken('attempts count at their start', row.id, 'a mark of its reserve passed it')
      const { writer, wrongClocks } = this.#scene
      if (!wrongClocks && writer !== null && row.ready_at > writer.clock.now() + earlyMs)
        throw this.#broken('nothing starts early', row.id, 'a mark passed it in the reserve before its time')
      this.#seeStart(row, row)
    }
  }

  /** An action on a job takes back its ticks to come, also out of a reserve, where nothing of them has begun. */
  #isTakenAhead(before: ExecutionRow, after: ExecutionRow): boolean {
    const askedAt = (this.#scene.writer?.clock.now() ?? 0) - longestCallMs
    return after.state === 'pending' && !this.#model.hasBegun(before) && (before.tick_at ?? 0) > askedAt
  }

  #seeExpired(before: ExecutionRow, after: ExecutionRow): void {
    const { writer, workerLeaseMs, wrongClocks } = this.#scene
    const until = before.leased_until ?? 0
    if (!wrongClocks && writer !== null && until > writer.clock.now() - leaseSlackMs)
      throw this.#broken(
        'a lease is left its time',
        after.id,
        `taken from ${before.leased_by} before ${at(until)}`,
      )
    const holder = this.#scene.member(before.leased_by ?? '')
    const asked = before.cancel_requested_at !== null
    if (!wrongClocks && !asked && holder?.fate === 'alive' && !holder.stopping) {
      const renewedAt = until - workerLeaseMs
      if (holder.troubledAt < renewedAt - leaseSlackMs)
        throw this.#broken(
          'a healthy worker keeps its lease',
          after.id,
          `taken from ${before.leased_by}, which had no trouble`,
        )
    }
    const begun = this.#model.begunAttempts(before)
    if (after.attempt !== begun)
      throw this.#broken(
        'attempts count at their start',
        after.id,
        `${begun} had begun when it was taken back, ${after.attempt} are counted`,
      )
    const crashed = this.#model.hasBegun(before) && !asked
    const { onCrash } = this.#model.spec(after.job_id)
    if (crashed && onCrash === 'fail' && after.state !== 'failed')
      throw this.#broken('at most once by onCrash: fail', after.id, `${after.state} after a crash`)
  }

  #broken(rule: Rule, id: string, message: string): Violation {
    return this.#brokenIn(this.#model.executions.get(id)?.job_id, rule, id, message)
  }

  #brokenIn(jobId: string | undefined, rule: Rule, id: string, message: string): Violation {
    const job = jobId === undefined ? null : this.#model.nameOf(jobId)
    return new Violation(rule, `${job ?? '?'}, execution ${id.slice(-6)}: ${message}`, job)
  }
}
