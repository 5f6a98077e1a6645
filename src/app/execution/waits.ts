/** What executions wait for, as the library says it. */
import type { Execution } from '../../core/execution/execution.ts'
import { isFinal } from '../../core/execution/execution-state.ts'
import { type Waits, waitsOf } from '../../core/execution/waits.ts'
import type { NodeRow } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'

/** By the execution's id; what runs or has ended waits for nothing. */
export async function waitsFor(
  { store, clock }: Pick<AppContext, 'store' | 'clock'>,
  executions: readonly Execution[],
): Promise<ReadonlyMap<string, Waits>> {
  const waiting = executions.filter(({ state }) => state !== 'running' && !isFinal(state))
  if (waiting.length === 0) return new Map()
  const now = clock.now()
  const leader = await store.cluster.currentLeader()
  const led = leader !== null && leader.expiresAt > now
  // With a leader, dead nodes are cleared away, so every registered node is alive; else only those seen lately.
  const nodes = (await store.cluster.listNodes()).filter(
    ({ seenAt }) => led || seenAt >= now - 2 * clock.longestSleepMs,
  )
  const rows = new Map(
    (await store.executions.readWaits(waiting.map(({ id }) => id))).map((row) => [row.id, row]),
  )
  return new Map(
    waiting.flatMap((execution) => {
      const row = rows.get(execution.id)
      if (row === undefined) return []
      const slots = nodes.reduce((sum, node) => sum + slotsOf(node, execution.queue), 0)
      const waits = waitsOf(execution, { ...row, led, slots }, now)
      return waits === null ? [] : [[execution.id, waits] as const]
    }),
  )
}

/** A holder without roles leases from any queue, without a limit. */
function slotsOf({ roles, queues }: NodeRow, queue: string): number {
  if (roles.length === 0) return Number.POSITIVE_INFINITY
  return roles.includes('worker') ? (queues[queue] ?? 0) : 0
}
