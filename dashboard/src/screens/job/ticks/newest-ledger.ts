/** The ledger of a span. The server lists its oldest ticks first; where they are too many, the newest are asked for. */
import { server } from '../../../server.ts'
import type { Ledger } from './ledger-rows.ts'
import type { Span } from './spans.ts'

export interface NewestLedger {
  readonly ticks: Ledger['ticks']
  /** Of the whole span. */
  readonly unaccounted: number
  /** Where what is listed begins; null where it is all. */
  readonly shownFrom: string | null
}

const most = 2_000

export async function newestOf(job: string, span: Span, signal: AbortSignal): Promise<NewestLedger> {
  const all = await server.jobs.explain(job, { ...span, limit: most }, { signal })
  const { unaccounted, truncated, ticks } = all
  if (!truncated) return { ticks, unaccounted, shownFrom: null }
  // As long as that many ticks took at its begin: few schedules change their pace.
  const lengthMs = Date.parse(ticks.at(-1)?.scheduledFor ?? span.from) - Date.parse(span.from)
  const from = new Date(Date.parse(span.to) - lengthMs).toISOString()
  const newest = await server.jobs.explain(job, { from, to: span.to, limit: most }, { signal })
  return { ticks: newest.ticks, unaccounted, shownFrom: newest.ticks[0]?.scheduledFor ?? from }
}
