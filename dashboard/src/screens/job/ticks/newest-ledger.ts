/** The ledger of a time range. The server lists the oldest ticks first; if there are too many, this loads the newest. */
import { server } from '../../../server.ts'
import type { Ledger } from './ledger-rows.ts'
import type { Span } from './spans.ts'

export interface NewestLedger {
  readonly ticks: Ledger['ticks']
  /** In the whole range. */
  readonly unaccounted: number
  /** The oldest tick that is listed; null if all are. */
  readonly shownFrom: string | null
}

const most = 2_000

export async function newestOf(job: string, span: Span, signal: AbortSignal): Promise<NewestLedger> {
  const all = await server.jobs.explain(job, { ...span, limit: most }, { signal })
  const { unaccounted, truncated, ticks } = all
  if (!truncated) return { ticks, unaccounted, shownFrom: null }
  // Assumes that the ticks at the end are as dense as those at the start.
  const lengthMs = Date.parse(ticks.at(-1)?.scheduledFor ?? span.from) - Date.parse(span.from)
  const from = new Date(Date.parse(span.to) - lengthMs).toISOString()
  const newest = await server.jobs.explain(job, { from, to: span.to, limit: most }, { signal })
  return { ticks: newest.ticks, unaccounted, shownFrom: newest.ticks[0]?.scheduledFor ?? from }
}
