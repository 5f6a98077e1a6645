/**
 * The claim where something is ready that shares a limit or takes turns: what is ready is held in its order, then its keys in
 * theirs, and each takes a share of all its keys or waits at the first that is full. Nothing is reserved: who has a limit
 * begins in its claim, and where no slot is free nothing is taken at all, or plain work would go past it for ever.
 */
import { isFull, withStart } from '../../../core/execution/limit.ts'
import { never } from '../../../core/execution/step.ts'
import { inTurn, noTurns, type Turns } from '../../../core/execution/turns.ts'
import type { ClaimedExecution, ClaimRequest } from '../../store.ts'
import type { Claiming, HotScripts } from '../hot-scripts.ts'
import { jobNotFound } from '../jobs/create-job.ts'
import { type CarriedKey, carriedFrom, turnsList } from '../limits/carried-keys.ts'
import { type HeldKey, holdCarried } from '../limits/hold-keys.ts'
import { levelKeys } from '../limits/level-keys.ts'
import { noteShares } from '../limits/note-shares.ts'
import { holdTurns, joinTurns, writeTurns } from '../limits/turns.ts'
import { number, optionalText, text } from '../runtime/rows.ts'
import { type Row, row, rows, run, type Script } from '../runtime/script.ts'
import { claimedFrom, claimedJobFrom, claimedTo } from './claimed.ts'

/** It shares a limit, or takes turns. */
export function isCareful({ limit_keys, fair_key }: Row): boolean {
  return limit_keys !== null || fair_key !== null
}

/** What is ready, for whoever claims plain work: as far as the first that must be claimed with care. */
export function plainOf(ready: readonly Row[]): { plain: readonly Row[]; careful: boolean } {
  const first = ready.findIndex(isCareful)
  return first === -1 ? { plain: ready, careful: false } : { plain: ready.slice(0, first), careful: true }
}

/** Of rounds in which each finds only full keys; a backlog that grew while they were full is sorted into its lists. */
const mostRounds = 5
/** What is looked at beyond the free slots in the second round, and as many more in each one after it. */
const widerBy = 100

export function* claimCarefully(request: ClaimRequest, hot: Pick<HotScripts, 'holdReady'>): Script<Claiming> {
  const { queue, start } = request
  if ((yield* row('SELECT name FROM @queues WHERE name = ? AND paused_at IS NOT NULL', queue)) !== null)
    return { claimed: [], nextReadyAt: null, upcoming: 0, ofCancelledJobs: [], careful: false }
  const turns = yield* holdTurns(queue)
  const before = new Map(turns)
  const claimed: ClaimedExecution[] = []
  const ofCancelledJobs: string[] = []
  let nextReadyAt = Number.POSITIVE_INFINITY
  for (let number = 0, more = true; more && claimed.length < start; number += 1) {
    const free = start - claimed.length
    const round = yield* claimRound({ ...request, start: free, limit: free + number * widerBy }, turns, hot)
    claimed.push(...round.claimed)
    ofCancelledJobs.push(...round.ofCancelledJobs)
    nextReadyAt = Math.min(nextReadyAt, round.nextReadyAt)
    more = round.more && number < mostRounds
    // Somebody comes again at once.
    if (round.more && !more) nextReadyAt = request.now
  }
  yield* writeTurns(queue, before, turns)
  const next = nextReadyAt === Number.POSITIVE_INFINITY ? null : nextReadyAt
  return { claimed, nextReadyAt: next, upcoming: 0, ofCancelledJobs, careful: false }
}

interface Round {
  readonly claimed: readonly ClaimedExecution[]
  readonly ofCancelledJobs: readonly string[]
  readonly nextReadyAt: number
  /** Something went to wait, so that others may be next. */
  readonly more: boolean
}

function* claimRound(
  request: ClaimRequest,
  turns: Map<number, Turns>,
  hot: Pick<HotScripts, 'holdReady'>,
): Script<Round> {
  const { now, start, limit } = request
  // Not early: that one begins in its claim.
  const { ready, nextReadyAt, ofCancelledJobs } = yield* hot.holdReady({ ...request, readyBy: now })
  const joining = ready.filter(({ fair_key, turn }) => fair_key !== null && turn === null)
  yield* joinTurns(joining)
  const keyed = yield* heldInTurn(request)
  const others = joining.length === 0 ? ready : ready.filter((row) => !joining.includes(row))
  const considered = merged(others, keyed, turns).slice(0, limit)
  const carriedOf = new Map(considered.map(([execution]) => [execution, carriedFrom(execution)]))
  const held = yield* holdCarried([...carriedOf.values()].flat(), now, request.queue)
  const shares = new Shares(held, now)
  const taken: Row[] = []
  for (const [execution, priority, after] of considered) {
    if (taken.length === start) break
    turns.set(priority, after)
    if (shares.take(execution, carriedOf.get(execution) ?? [])) taken.push(execution)
  }
  yield* begin(taken, request)
  yield* noteShares(shares.taken, { before: held, after: shares.states, now })
  yield* sendToWait(shares.sent)
  const levelled = yield* levelKeys(shares.states, now)
  const seenAll = ready.length < limit && keyed.length < limit
  return {
    claimed: yield* claimedOf(taken, request),
    ofCancelledJobs,
    nextReadyAt: Math.min(nextReadyAt ?? Number.POSITIVE_INFINITY, levelled.readyAt),
    more: (shares.sent.size > 0 || joining.length > 0) && (!seenAll || levelled.readyAt <= now),
  }
}

/** The keys of what is claimed, as they stand after each. */
class Shares {
  readonly #states: Map<string, HeldKey>
  readonly #now: number
  readonly taken: { readonly key: string; readonly executionId: string }[] = []
  /** By the key that they wait at. */
  readonly sent = new Map<string, number[]>()

  constructor(held: readonly HeldKey[], now: number) {
    this.#states = new Map(held.map((key) => [key.key, key]))
    this.#now = now
  }

  /** In the order of the keys. */
  get states(): HeldKey[] {
    return [...this.#states.values()]
  }

  /** All of its keys or none. A newcomer takes no share past those of its queue that wait. */
  take(execution: Row, carried: readonly CarriedKey[]): boolean {
    const from = optionalText(execution.wait_key)
    const full = carried.find(({ key }) => {
      const state = this.#states.get(key)
      return state !== undefined && (isFull(state, this.#now) || (state.waitedInQueue && from !== key))
    })
    if (from !== null) this.#change(from, (key) => ({ ...key, released: Math.max(0, key.released - 1) }))
    if (full !== undefined) {
      const seqs = this.sent.get(full.key) ?? []
      this.sent.set(full.key, [...seqs, number(execution.seq)])
      this.#change(full.key, (key) => ({ ...key, waited: true, waitedInQueue: true }))
      return false
    }
    for (const { key } of carried) {
      this.#change(key, (state) => ({ ...state, ...withStart(state, this.#now) }))
      this.taken.push({ key, executionId: text(execution.id) })
    }
    return true
  }

  #change(key: string, to: (state: HeldKey) => HeldKey): void {
    const state = this.#states.get(key)
    if (state !== undefined) this.#states.set(key, to(state))
  }
}

const inTurnText = `
  SELECT e.seq, e.id, e.job_id, e.cause, e.tick_at, e.scheduled_for, e.ready_at, e.start_by, e.attempt, e.max_attempts,
    e.fence, e.tied, e.caught_up_index, e.caught_up_of, e.input, e.metadata, e.idempotency_key, e.queue, e.priority,
    e.limit_keys, e.fair_key, e.turn, e.wait_key, e.wait_ready_at
  FROM @live_executions e
  WHERE e.wait_key = ? AND e.waits_for = 'turn' AND e.priority = ?
    AND (e.start_by IS NULL OR e.start_by >= ? OR e.attempt > 0)
    AND (SELECT count(*) FROM @node_handlers h WHERE h.handler = e.handler AND h.node_id = ?) = 1
  ORDER BY e.turn, e.wait_ready_at, e.seq LIMIT ? FOR UPDATE SKIP LOCKED`

const nextPriorityText = `
  SELECT max(priority) AS priority FROM @live_executions WHERE wait_key = ? AND waits_for = 'turn' AND priority < ?::bigint`

const aboveAll = 2 ** 31

/** What takes turns, by priority and then by turn. */
function* heldInTurn({ queue, now, nodeId, limit }: ClaimRequest): Script<Row[]> {
  const list = turnsList(queue)
  const held: Row[] = []
  for (let below = aboveAll; held.length < limit; ) {
    const next = yield* row(nextPriorityText, list, below)
    if (next === null || next.priority === null) break
    below = number(next.priority)
    held.push(...(yield* rows(inTurnText, list, below, now, nodeId, limit - held.length)))
  }
  return held
}

/** In the order of the claim, with the turns of its priority after each. */
function merged(
  others: readonly Row[],
  keyed: readonly Row[],
  turns: ReadonlyMap<number, Turns>,
): (readonly [execution: Row, priority: number, after: Turns])[] {
  const priorities = new Set([...others, ...keyed].map(({ priority }) => number(priority)))
  return [...priorities]
    .toSorted((a, b) => b - a)
    .flatMap((priority) => {
      const ofPriority = (row: Row) => number(row.priority) === priority
      const inTurns = keyed.filter(ofPriority).map((row) => [row, number(row.turn)] as const)
      const order = inTurn(others.filter(ofPriority), inTurns, turns.get(priority) ?? noTurns)
      return [...order].map(([execution, after]) => [execution, priority, after] as const)
    })
}

/** Its old time comes back first: on MySQL, what stands further right sees what was set before it. */
const beginText = `
  UPDATE @live_executions SET ready_at = COALESCE(wait_ready_at, ready_at), state = 'running', fence = fence + 1,
    leased_by = ?, leased_until = ?, attempt = attempt + 1, started_at = ?, start_by = NULL, reserve_place = NULL,
    progress = NULL, progress_note = NULL, waits_for = NULL, wait_key = NULL, wait_ready_at = NULL, turn = NULL
  WHERE seq IN ?*`

function* begin(taken: readonly Row[], { nodeId, now, leaseMs }: ClaimRequest): Script<void> {
  if (taken.length === 0) return
  yield* run(beginText, nodeId, now + leaseMs, now, seqsOf(taken))
}

const waitText = `
  UPDATE @live_executions SET wait_ready_at = COALESCE(wait_ready_at, ready_at), ready_at = ${never}, waits_for = 'limit',
    turn = COALESCE(turn, 0), wait_key = ?
  WHERE seq IN ?*`

function* sendToWait(sent: ReadonlyMap<string, readonly number[]>): Script<void> {
  for (const [key, seqs] of sent) yield* run(waitText, key, seqs)
}

function* claimedOf(taken: readonly Row[], request: ClaimRequest): Script<ClaimedExecution[]> {
  if (taken.length === 0) return []
  const ids = [...new Set(taken.map(({ job_id }) => text(job_id)))]
  const found = yield* rows('SELECT id, name, spec, next_due_at FROM @jobs WHERE id IN ?*', ids)
  const jobs = new Map(found.map((job) => [text(job.id), claimedJobFrom(job)]))
  return taken.map((execution) => {
    const job = jobs.get(text(execution.job_id))
    if (job === undefined) throw jobNotFound(text(execution.job_id))
    const readyAt = execution.wait_ready_at ?? execution.ready_at ?? null
    return claimedFrom({ ...execution, ready_at: readyAt }, job, claimedTo(request, 0))
  })
}

function seqsOf(executions: readonly Row[]): number[] {
  return executions.map(({ seq }) => number(seq)).toSorted((a, b) => a - b)
}
