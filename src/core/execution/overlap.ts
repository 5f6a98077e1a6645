/**
 * Which executions of one job may be under way together. A lane is what is unfinished of a job, enqueued work apart:
 * enqueues are a queue of their own, and never cost a tick.
 */
import type { OverlapPolicy } from '../job/policies.ts'
import { type Cause, isChained } from './execution.ts'

export interface ActiveExecution {
  readonly id: string
  readonly state: 'pending' | 'running' | 'retrying'
  readonly cause: Cause
  readonly tickAt: number | null
  readonly readyAt: number
}

export interface Lane {
  readonly overlap: OverlapPolicy
  readonly maxConcurrent: number
  /** How many ticks in a row have gone before a ready catch-up since the chain last ran. */
  readonly chainYields: number
  /** Pending, running or retrying, oldest first. */
  readonly active: readonly ActiveExecution[]
  /** How many ticks and triggers are blocked. */
  readonly waiting: number
  /** How many of them are ticks. */
  readonly waitingTicks: number
  /** How many catch-ups and backfills are blocked. */
  readonly chained: number
}

export interface Placement {
  readonly place: 'start' | 'wait' | 'skip'
  readonly reason?: 'overlap' | 'buffer_full'
  /** Released but unclaimed catch-ups that step back for this tick. */
  readonly stepBack: readonly string[]
  /** A running execution that is asked to stop. */
  readonly stop: string | null
  /** Unstarted executions that this tick replaces. */
  readonly replace: readonly string[]
  readonly replaceWaiting: boolean
}

/** A catch-up may be passed by this many ticks in a row, or a busy buffer would starve it for ever. */
export const maxChainYields = 10

export const bufferLimits = { buffer_one: 1, buffer_all: 100 } as const

const plain = { stepBack: [], stop: null, replace: [], replaceWaiting: false } as const

/** Where a tick that is due goes: only a tick's own execution can cost a tick. */
export function placeTick(lane: Lane): Placement {
  const { overlap, maxConcurrent } = lane
  if (overlap === 'allow') return { place: 'start', ...plain }
  const stepBack = unclaimedChain(lane)
  const active = lane.active.filter((execution) => !stepBack.includes(execution.id))
  if (active.length < maxConcurrent && lane.waiting === 0) return { place: 'start', ...plain, stepBack }

  switch (overlap) {
    case 'skip': {
      const ownTicks = active.filter((execution) => execution.cause === 'schedule').length
      if (ownTicks < maxConcurrent && lane.waitingTicks === 0) return { place: 'wait', ...plain, stepBack }
      return { place: 'skip', reason: 'overlap', ...plain }
    }
    case 'buffer_one':
    case 'buffer_all':
      if (lane.waiting < bufferLimits[overlap]) return { place: 'wait', ...plain, stepBack }
      return { place: 'skip', reason: 'buffer_full', ...plain }
    case 'cancel_running': {
      const replace = active
        .filter((execution) => execution.state !== 'running')
        .map((execution) => execution.id)
      const running = active.filter((execution) => execution.state === 'running')
      const place = running.length < maxConcurrent ? 'start' : 'wait'
      const stop = place === 'wait' ? (running[0]?.id ?? null) : null
      return { place, stepBack, stop, replace, replaceWaiting: true }
    }
  }
}

/** Where a trigger goes; `null` means that it conflicts with what is under way. */
export function placeTrigger(lane: Lane, force: boolean): Placement | null {
  if (lane.overlap === 'allow' || force) return { place: 'start', ...plain }
  const stepBack = unclaimedChain(lane)
  const active = lane.active.filter((execution) => !stepBack.includes(execution.id))
  if (active.length < lane.maxConcurrent && lane.waiting === 0) return { place: 'start', ...plain, stepBack }
  switch (lane.overlap) {
    case 'buffer_one':
    case 'buffer_all':
      return lane.waiting < bufferLimits[lane.overlap] ? { place: 'wait', ...plain, stepBack } : null
    case 'skip':
    case 'cancel_running': {
      const onlyChain = active.every((execution) => isChained(execution.cause)) && lane.waiting === 0
      return onlyChain ? { place: 'wait', ...plain, stepBack } : null
    }
  }
}

function unclaimedChain(lane: Lane): string[] {
  if (lane.chainYields >= maxChainYields) return []
  return lane.active
    .filter((execution) => execution.state === 'pending' && isChained(execution.cause))
    .map((execution) => execution.id)
}

export interface BlockedExecution {
  readonly id: string
  readonly readyAt: number
}

export interface Release {
  readonly ids: readonly string[]
  readonly chainYields: number
  /** When the head of the chain becomes ready, where only its time keeps it blocked. */
  readonly releaseAt: number | null
}

/**
 * What may leave `blocked` now: ticks and triggers first, then the chain, one of it at a time.
 * `waiting` and `chain` are oldest first; of the chain only its head is needed.
 */
export function releaseBlocked(
  lane: Pick<Lane, 'maxConcurrent' | 'chainYields' | 'active'>,
  waiting: readonly BlockedExecution[],
  chainHead: BlockedExecution | null,
  now: number,
): Release {
  const ids: string[] = []
  let free = lane.maxConcurrent - lane.active.length
  let chainYields = lane.chainYields
  let chainFree = !lane.active.some((execution) => isChained(execution.cause))
  let nextWaiting = 0
  while (free > 0) {
    const head = chainFree && chainHead !== null && chainHead.readyAt <= now ? chainHead : null
    const tick = waiting[nextWaiting]
    if (tick !== undefined && !(head !== null && chainYields >= maxChainYields)) {
      ids.push(tick.id)
      nextWaiting += 1
      if (head !== null) chainYields += 1
    } else if (head !== null) {
      ids.push(head.id)
      chainFree = false
    } else break
    free -= 1
  }
  const waitsForTime = free > 0 && chainFree && chainHead !== null
  return { ids, chainYields, releaseAt: waitsForTime ? chainHead.readyAt : null }
}
