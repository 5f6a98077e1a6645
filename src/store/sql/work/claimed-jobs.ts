/**
 * The jobs of claimed rows, for servers: a claim brings each job's version along, and only a version that this process has
 * not seen yet is worth the transfer of a whole spec. A version never changes what it stands for.
 */

import { jobNotFound } from '../jobs/create-job.ts'
import { number, text } from '../runtime/rows.ts'
import type { Row, Script } from '../runtime/script.ts'
import { type ClaimedJob, claimedJobFrom } from './claimed.ts'

/** Beyond this many jobs it starts over: a job not kept only costs its spec again. */
const maxKept = 20_000

const jobText = 'SELECT id, name, spec, version FROM @jobs WHERE id IN ?*'

export class ClaimedJobs {
  readonly #kept = new Map<string, { readonly version: number; readonly row: Row }>()

  missing(row: Row): never {
    throw jobNotFound(text(row.job_id))
  }

  /** In the order of the rows, each of which has job_id, job_version and its job's next_due_at. */
  *of(rows: readonly Row[]): Script<ClaimedJob[]> {
    const unknown = rows.filter(
      (row) => this.#kept.get(text(row.job_id))?.version !== number(row.job_version),
    )
    const ids = [...new Set(unknown.map((row) => text(row.job_id)))]
    if (ids.length > 0) {
      if (this.#kept.size + ids.length > maxKept) this.#kept.clear()
      const found: Row[] = yield { text: jobText, params: [ids], wants: 'rows', alone: true }
      for (const row of found) this.#kept.set(text(row.id), { version: number(row.version), row })
    }
    return rows.map((claimed) => {
      const kept = this.#kept.get(text(claimed.job_id)) ?? this.missing(claimed)
      return claimedJobFrom({ ...kept.row, next_due_at: claimed.next_due_at ?? null })
    })
  }
}
