/** The ledgers of many jobs, one after another: a page holds those of several, so that a job needs no statement of its own. */
import { number, text } from '../runtime/rows.ts'
import { pageRows, type Row, rows, type Script } from '../runtime/script.ts'

interface PagedTable {
  /** What orders the rows of a job. */
  readonly place: 'tick_at' | 'from_at'
  readonly select: string
}

const tables = {
  ticks: {
    place: 'tick_at',
    select: 'SELECT job_id, tick_at FROM @job_executions WHERE tick_at IS NOT NULL AND',
  },
  ranges: {
    place: 'from_at',
    select: 'SELECT job_id, from_at, to_at, count, packed FROM @tick_ranges WHERE',
  },
} as const satisfies Readonly<Record<string, PagedTable>>

/** Asked for jobs in the order of their ids, up to `lastId`. */
export class LedgersOfJobs {
  readonly #table: PagedTable
  readonly #lastId: string
  #page: readonly Row[] = []
  #at = 0
  #isLast = false

  constructor(table: keyof typeof tables, lastId: string) {
    this.#table = tables[table]
    this.#lastId = lastId
  }

  /** Of one job, in order. */
  *of(jobId: string): Script<Row[]> {
    const own: Row[] = []
    for (;;) {
      for (; this.#at < this.#page.length; this.#at += 1) {
        const next = this.#page[this.#at]
        if (next === undefined || text(next.job_id) > jobId) return own
        if (text(next.job_id) === jobId) own.push(next)
      }
      if (this.#isLast) return own
      const last = own.at(-1)
      if (last === undefined) yield* this.#read(jobId)
      else return [...own, ...(yield* this.#rest(jobId, number(last[this.#table.place])))]
    }
  }

  *#read(fromId: string): Script<void> {
    const { select, place } = this.#table
    this.#page = yield* rows(
      `${select} job_id >= ? AND job_id <= ? ORDER BY job_id, ${place} LIMIT ?`,
      fromId,
      this.#lastId,
      pageRows,
    )
    this.#at = 0
    this.#isLast = this.#page.length < pageRows
  }

  /** A page ended within the job. */
  *#rest(jobId: string, after: number): Script<Row[]> {
    const { select, place } = this.#table
    const own: Row[] = []
    for (let at = after; ; at = number(own.at(-1)?.[place])) {
      const page = yield* rows(
        `${select} job_id = ? AND ${place} > ? ORDER BY ${place} LIMIT ?`,
        jobId,
        at,
        pageRows,
      )
      own.push(...page)
      if (page.length < pageRows) break
    }
    this.#page = []
    this.#at = 0
    return own
  }
}
