/** What to report at a start: the gap since the previous term, and what the previous process left behind. */
import { hostname } from 'node:os'
import type { AwayJob } from '../../../app/reports/away.ts'
import type { Repair } from '../../../core/leader/term.ts'
import type { Evertick } from '../../../evertick.ts'
import { isRunning } from '../cluster/liveness.ts'

export interface Away {
  readonly from: Date
  readonly to: Date
  readonly missed: Repair
  readonly jobs: readonly AwayJob[]
  /** Runs that the previous process left unfinished. */
  readonly cutOff: number
}

/** How many runs nobody holds any more, counted before the node starts. */
export async function readCutOff(evertick: Evertick): Promise<number> {
  const held = [...(await evertick.leases.expired()), ...(await evertick.leases.active())]
  const nodes = await evertick.nodes.list()
  // A killed node is still listed, but on this machine its process is gone.
  const living = nodes.filter(({ host, pid }) => host !== hostname() || isRunning(pid))
  const alive = new Set(living.map(({ id }) => id))
  return held.filter(({ leasedBy }) => leasedBy === null || !alive.has(leasedBy)).length
}

/** Whether a node of this machine is dead. For other machines that cannot be known. */
export async function isDead(evertick: Evertick, nodeId: string): Promise<boolean> {
  const nodes = await evertick.nodes.list()
  return nodes.some(({ id, host, pid }) => id === nodeId && host === hostname() && !isRunning(pid))
}

/** null if there is nothing to report: at the first start, or if another node kept leading. */
export async function readAway(evertick: Evertick, termId: number, cutOff: number): Promise<Away | null> {
  const away = await evertick.reports.away(termId)
  return away === null ? null : { ...away, cutOff }
}
