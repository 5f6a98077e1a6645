/** What is sealed in jobs and their revisions, for a change of the key. */
import { noId } from '../../../core/id.ts'
import type { HandlerSpec } from '../../../core/job/handler.ts'
import type { Reseal, SealedJob } from '../../store.ts'
import { specFrom, text } from '../runtime/rows.ts'
import { pageRows, rows, run, type Script } from '../runtime/script.ts'

/** What else has this form, such as an input, is sorted out by whoever reads the handler. */
const isSealed = `spec LIKE '%"sealed":"%'`

const pageText = `SELECT id, name FROM @jobs WHERE id > ? AND (${isSealed}
    OR id IN (SELECT job_id FROM @job_revisions WHERE ${isSealed})) ORDER BY id LIMIT ?`

export function* listSealedJobs(): Script<SealedJob[]> {
  const found: SealedJob[] = []
  for (let after = noId; ; after = found.at(-1)?.id ?? noId) {
    const jobs = yield* rows(pageText, after, pageRows)
    found.push(...jobs.map(({ id, name }) => ({ id: text(id), name: text(name) })))
    if (jobs.length < pageRows) return found
  }
}

export function* listSealedHandlers(jobId: string): Script<HandlerSpec[]> {
  const jobs = yield* rows(`SELECT spec FROM @jobs WHERE id = ? AND ${isSealed}`, jobId)
  const revisions = yield* rows(
    `SELECT spec FROM @job_revisions WHERE job_id = ? AND ${isSealed} ORDER BY revision`,
    jobId,
  )
  return [...jobs, ...revisions].map(({ spec }) => specFrom(spec).handler)
}

const exchange = 'SET spec = replace(spec, ?, ?)'

/** A ciphertext is like no other text, so it is exchanged as text: of an edit at this moment nothing is lost. */
export function* resealJob(id: string, seals: readonly Reseal[]): Script<void> {
  for (const { from, to } of seals) {
    // Rows without it are not written. In the pattern a _ of the ciphertext matches itself, too.
    const around = `%${from}%`
    yield* run(`UPDATE @jobs ${exchange} WHERE id = ? AND spec LIKE ?`, from, to, id, around)
    yield* run(`UPDATE @job_revisions ${exchange} WHERE job_id = ? AND spec LIKE ?`, from, to, id, around)
  }
}
