/**
 * Leases for workers that are not nodes: in any language, over HTTP. They renew and end an attempt by its execution and
 * fence, and a superseded worker is refused like any node.
 */
import { endingOf, type Outcome } from '../../core/attempt/outcome.ts'
import { EvertickError } from '../../core/error.ts'
import type { Execution, ExecutionError } from '../../core/execution/execution.ts'
import type { ExecutionState } from '../../core/execution/execution-state.ts'
import { handlerKey, isOwnKey } from '../../core/job/handler.ts'
import { storable } from '../../core/payload.ts'
import { formatDuration, parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { AppContext } from '../app-context.ts'
import { refuseBadName } from '../config/call-options.ts'
import { findHolder, registerHolder } from './register-holder.ts'

export interface AcquireLease {
  readonly worker: string
  /** @default 'default' */
  readonly queue?: string
  /** The handlers that this worker has: it is given nothing else. */
  readonly handlers: readonly string[]
  /** @default '30s' */
  readonly lease?: Duration
  /** @default 1 */
  readonly limit?: number
}

export interface HeldLease {
  readonly worker: string
  readonly executionId: string
  readonly fence: number
}

export interface LeaseView {
  readonly executionId: string
  readonly fence: number
  readonly job: string
  readonly handler: string
  readonly attempt: number
  readonly input: unknown
  readonly scheduledFor: Date
  readonly idempotencyKey: string
  readonly metadata: Readonly<Record<string, unknown>>
  readonly leasedUntil: Date
}

/** How a pull worker's attempt ended. `error` is tried again by the job's policy, `fail` never. */
export type PullOutcome =
  | { readonly outcome: 'done'; readonly result?: unknown }
  | { readonly outcome: 'error' | 'fail'; readonly message: string }
  | { readonly outcome: 'snooze'; readonly after: Duration }

const shortestLeaseMs = 1_000
const longestLeaseMs = 3_600_000

export class PullLeases {
  readonly #app: AppContext
  readonly #random: () => number

  constructor(app: AppContext, random: () => number) {
    this.#app = app
    this.#random = random
  }

  /** Leases ready executions that this worker can run; an empty list if there are none. */
  async acquire(request: AcquireLease): Promise<LeaseView[]> {
    const { worker, queue = 'default', handlers, lease = '30s', limit = 1 } = request
    const { store, clock } = this.#app
    const own = handlers.find(isOwnKey)
    if (own !== undefined) throw notForOthers(own)
    const leaseMs = leaseOf(lease)
    const nodeId = nodeOf(worker)
    const now = clock.now()
    await registerHolder(this.#app, { id: nodeId, handlers, leaseMs })
    const { claimed } = await store.work.claimExecutions({
      nodeId,
      queue,
      limit,
      start: limit,
      now,
      readyBy: now,
      leaseMs,
    })
    // The worker acts on it outside: a power cut must not undo it.
    if (claimed.length > 0) await store.sync()
    return claimed.map((claim) => ({
      executionId: claim.id,
      fence: claim.fence,
      job: claim.jobName,
      handler: handlerKey(claim.spec.handler),
      attempt: claim.attempt,
      input: claim.input,
      scheduledFor: new Date(claim.scheduledFor),
      idempotencyKey: claim.idempotencyKey,
      metadata: claim.metadata,
      leasedUntil: new Date(claim.leasedUntil),
    }))
  }

  /** Extends the lease from now; says whether a cancel was requested. */
  async extend(
    held: HeldLease,
    lease: Duration = '30s',
  ): Promise<{ leasedUntil: Date; cancelRequested: boolean }> {
    const { store, clock } = this.#app
    const execution = await this.#held(held)
    const { id, fence } = execution
    const leaseMs = leaseOf(lease)
    await this.#refuseLonger(nodeOf(held.worker), leaseMs)
    const now = clock.now()
    const leasedUntil = now + leaseMs
    const { lost } = await store.work.extendLeases({ claims: [{ id, fence }], leasedUntil, now })
    if (lost.length > 0) throw stale(held)
    return { leasedUntil: new Date(leasedUntil), cancelRequested: execution.cancelRequestedAt !== null }
  }

  async release(held: HeldLease, outcome: PullOutcome): Promise<{ state: ExecutionState }> {
    const { store, clock } = this.#app
    const execution = await this.#held(held)
    const { id, fence } = execution
    const job = await store.jobs.findJob(execution.jobId)
    const now = clock.now()
    const { attempt, maxAttempts, cause } = execution
    const retry = job?.spec.retry ?? { attempts: 1, baseMs: 0, factor: 1, maxMs: 0, jitter: 0 }
    const overlap = job?.spec.overlap ?? 'allow'
    const nextTickAt = overlap === 'allow' ? null : (job?.nextDueAt ?? null)
    const onCrash = job?.spec.onCrash ?? 'fail'
    const tried = { attempt, maxAttempts, cause, retry, overlap, onCrash, nextTickAt }
    const ending = endingOf(outcomeOf(outcome, this.#app.maxPayloadBytes), tried, now, this.#random())
    const attempts = [{ id, fence, attempt, ending, finishedAt: now }]
    const { refused } = await store.work.finishAttempts({ nodeId: nodeOf(held.worker), attempts, now })
    if (refused.length > 0) throw stale(held)
    this.#app.jobChanged()
    this.#app.enqueued()
    return { state: ending.state }
  }

  /** A lease longer than its holder's known limit would look like a clock error, and be reset. */
  async #refuseLonger(nodeId: string, leaseMs: number): Promise<void> {
    const known = await findHolder(this.#app, nodeId)
    if (known === null || leaseMs <= known.leaseMs) return
    throw new EvertickError(
      'invalid_option',
      `This worker may lease for at most ${formatDuration(known.leaseMs)}.`,
      {
        field: 'lease',
        next: 'Ask for a longer lease when you acquire.',
      },
    )
  }

  async #held(held: HeldLease): Promise<Execution> {
    const execution = await this.#app.store.executions.findExecution(held.executionId)
    if (execution === null) {
      throw new EvertickError('execution_not_found', `There is no execution ${held.executionId}.`)
    }
    if (execution.fence !== held.fence || execution.leasedBy !== nodeOf(held.worker)) throw stale(held)
    return execution
  }
}

/** A prefix of its own: no worker may speak for a node. */
function nodeOf(worker: string): string {
  refuseBadName(worker, 'worker', 150)
  return `pull:${worker}`
}

function leaseOf(lease: Duration): number {
  const ms = parseDuration(lease, 'lease')
  if (ms >= shortestLeaseMs && ms <= longestLeaseMs) return ms
  throw new EvertickError('invalid_option', 'A lease must last from 1s to 1h.', { field: 'lease' })
}

function outcomeOf(given: PullOutcome, maxPayloadBytes: number): Outcome {
  switch (given.outcome) {
    case 'done':
      return { kind: 'done', result: storable(given.result, 'result', maxPayloadBytes) ?? null }
    case 'snooze':
      return { kind: 'snooze', afterMs: parseDuration(given.after, 'after') }
    case 'fail':
      return { kind: 'fail', error: errorOf(given.message) }
    case 'error':
      return { kind: 'error', error: errorOf(given.message) }
  }
}

function errorOf(message: string): ExecutionError {
  return { name: 'Error', message }
}

function stale({ executionId, worker }: HeldLease): EvertickError {
  return new EvertickError('stale_lease', `${worker} no longer holds the lease of ${executionId}.`, {
    next: 'Stop working on it: another worker has it, or it has ended.',
  })
}

/** Calls and commands are done by nodes: they carry secrets, and rights that only a node's own start gives. */
function notForOthers(handler: string): EvertickError {
  return new EvertickError('invalid_option', `"${handler}" is not a handler that a worker may have.`, {
    field: 'handlers',
    next: 'Name the functions that this worker has.',
  })
}
