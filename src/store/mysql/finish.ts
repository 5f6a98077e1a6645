/** The ends of attempts, by hand for this engine. */
import type { Completion, Crash } from '../sql/hot-scripts.ts'
import { prove, unprovenText } from '../sql/jobs/unproven.ts'
import { text } from '../sql/runtime/rows.ts'
import { look, type Param, run, runAlone, type Script } from '../sql/runtime/script.ts'
import type { Claim } from '../store.ts'
import { chunksOf, whichOf } from './batch.ts'
import { claimsOf, type Held, heldRows, type KnownSeqs, ownValue, underClaim, valuesOf } from './held-rows.ts'

/** How ends of one kind are written, and which of them were. */
interface End<Ending extends Claim> {
  readonly writeText: string
  readonly writtenText: string
  /** The values of both texts, in their order. */
  readonly values: (endings: readonly Held<Ending>[]) => {
    readonly write: Param[]
    readonly written: Param[]
  }
  /** The values that take room. */
  readonly payload: (ending: Ending) => Param[]
}

/** The attempt first: what stands further right sees what was set before it. */
const completion: End<Completion> = {
  writeText: `
    UPDATE ${heldRows} SET e.state = 'completed', e.error = NULL, e.leased_until = NULL,
      e.attempt = e.attempt + CASE WHEN e.started_at IS NULL THEN 1 ELSE 0 END,
      e.started_at = COALESCE(e.started_at, ${ownValue}), e.result = ${ownValue}, e.finished_at = ${ownValue}
    WHERE ${underClaim} AND e.state = 'running' AND (e.started_at IS NOT NULL OR ${ownValue} IS NOT NULL)`,
  writtenText: `
    SELECT e.id FROM ${heldRows}
    WHERE e.result <=> ${ownValue} AND e.finished_at = ${ownValue} AND ${underClaim} AND e.state = 'completed'`,
  values: (endings) => {
    const started = valuesOf(endings, ({ startedAt }) => startedAt)
    const ended = [
      ...valuesOf(endings, ({ result }) => result),
      ...valuesOf(endings, ({ finishedAt }) => finishedAt),
      ...claimsOf(endings),
    ]
    return { write: [...started, ...ended, ...started], written: ended }
  },
  payload: ({ id, result }) => [id, result],
}

export function* completeAttempts(
  attempts: readonly Completion[],
  seqs: KnownSeqs,
): Script<ReadonlySet<string>> {
  const jobIds = [...new Set(attempts.map(({ jobId }) => jobId))]
  // Nearly always none: then there is one statement to write, and no transaction around it.
  const unproven = new Set((yield* look(unprovenText, jobIds)).map(({ job_id }) => text(job_id)))
  const rows = yield* seqs.of(attempts)
  const completed = yield* writeEnds(completion, rows, unproven.size === 0 ? runAlone : run)
  yield* prove(attempts.filter(({ id, jobId }) => completed.has(id) && unproven.has(jobId)))
  return completed
}

const crash: End<Crash> = {
  writeText: `
    UPDATE ${heldRows} SET e.leased_until = NULL, e.attempt = ${ownValue}, e.state = ${ownValue}, e.error = ${ownValue},
      e.ready_at = ${ownValue}, e.finished_at = ${ownValue}, e.started_at = ${ownValue}
    WHERE ${underClaim} AND e.state = 'running'`,
  writtenText: `
    SELECT e.id FROM ${heldRows}
    WHERE e.state = ${ownValue} AND e.error <=> ${ownValue} AND e.ready_at = ${ownValue}
      AND e.finished_at <=> ${ownValue} AND e.started_at <=> ${ownValue} AND ${underClaim}`,
  values: (endings) => {
    const ended = [
      ...valuesOf(endings, ({ state }) => state),
      ...valuesOf(endings, ({ error }) => error),
      ...valuesOf(endings, ({ readyAt }) => readyAt),
      ...valuesOf(endings, ({ finishedAt }) => finishedAt),
      ...valuesOf(endings, ({ startedAt }) => startedAt),
      ...claimsOf(endings),
    ]
    return { write: [...valuesOf(endings, ({ attempt }) => attempt), ...ended], written: ended }
  },
  payload: ({ id, error }) => [id, error],
}

export function* crashAttempts(attempts: readonly Crash[], seqs: KnownSeqs): Script<ReadonlySet<string>> {
  return yield* writeEnds(crash, yield* seqs.of(attempts), runAlone)
}

/** The ids of those that were still running under their fence. */
function* writeEnds<Ending extends Claim>(
  { writeText, writtenText, values, payload }: End<Ending>,
  endings: readonly Held<Ending>[],
  writeOne: typeof run,
): Script<ReadonlySet<string>> {
  const chunks = chunksOf(endings, payload)
  const write = chunks.length === 1 ? writeOne : run
  const ended = new Set<string>()
  for (const chunk of chunks) {
    const params = values(chunk)
    const count = yield* write(writeText, ...params.write)
    const ids = yield* whichOf(chunk, count, () => look(writtenText, ...params.written))
    for (const id of ids) ended.add(id)
  }
  return ended
}
