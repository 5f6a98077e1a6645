/** The ends of attempts, by hand for this engine. */
import { keysOf } from '../../core/table-keys.ts'
import { type Completion, type Crash, completionValues, crashValues } from '../sql/hot-scripts.ts'
import { prove, unprovenText } from '../sql/jobs/unproven.ts'
import { text } from '../sql/runtime/rows.ts'
import { look, run, runAlone, type Script } from '../sql/runtime/script.ts'
import type { Claim } from '../store.ts'
import {
  type BatchColumns,
  type BatchRow,
  batchJson,
  batchText,
  chunksOf,
  claimColumns,
  inOrder,
  whichOf,
} from './batch.ts'

const completeColumns = {
  ...claimColumns,
  result: 'LONGTEXT CHARACTER SET utf8mb4',
  finished_at: 'BIGINT',
  started_at: 'BIGINT',
} as const
const completions = batchText(completeColumns)

/** The attempt first: what stands further right sees what was set before it. */
const completeText = `
  UPDATE ${completions}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  SET e.state = 'completed', e.result = c.result, e.error = NULL, e.finished_at = c.finished_at, e.leased_until = NULL,
    e.attempt = e.attempt + CASE WHEN e.started_at IS NULL THEN 1 ELSE 0 END,
    e.started_at = COALESCE(e.started_at, c.started_at)
  WHERE e.fence = c.fence AND e.state = 'running' AND (e.started_at IS NOT NULL OR c.started_at IS NOT NULL)`

const completedText = `
  SELECT e.id FROM ${completions}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = 'completed' AND e.finished_at = c.finished_at AND e.result <=> c.result`

export function* completeAttempts(attempts: readonly Completion[]): Script<ReadonlySet<string>> {
  const batch = attempts.map(completionValues)
  const jobIds = [...new Set(attempts.map(({ jobId }) => jobId))]
  // Nearly always none: then there is one statement to write, and no transaction around it.
  const unproven = new Set((yield* look(unprovenText, jobIds)).map(({ job_id }) => text(job_id)))
  const write = unproven.size === 0 ? runAlone : run
  const completed = yield* writeBatch(completeColumns, batch, completeText, completedText, write)
  yield* prove(attempts.filter(({ id, jobId }) => completed.has(id) && unproven.has(jobId)))
  return completed
}

/** The error is always the same, and short: no LONGTEXT. */
const crashColumns = {
  ...claimColumns,
  state: 'VARCHAR(32) CHARACTER SET utf8mb4',
  error: 'VARCHAR(1000) CHARACTER SET utf8mb4',
  ready_at: 'BIGINT',
  finished_at: 'BIGINT',
  attempt: 'INT',
  started_at: 'BIGINT',
} as const
const crashes = batchText(crashColumns)

const crashText = `
  UPDATE ${crashes}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  SET e.state = c.state, e.error = c.error, e.ready_at = c.ready_at, e.finished_at = c.finished_at,
    e.leased_until = NULL, e.attempt = c.attempt, e.started_at = c.started_at
  WHERE e.fence = c.fence AND e.state = 'running'`

const crashedText = `
  SELECT e.id FROM ${crashes}
  STRAIGHT_JOIN @live_executions e ON e.id = c.id
  WHERE e.fence = c.fence AND e.state = c.state AND e.error <=> c.error AND e.ready_at = c.ready_at
    AND e.finished_at <=> c.finished_at AND e.started_at <=> c.started_at`

export function* crashAttempts(attempts: readonly Crash[]): Script<ReadonlySet<string>> {
  return yield* writeBatch(crashColumns, attempts.map(crashValues), crashText, crashedText, runAlone)
}

/** The ids of those that were still running under their fence. */
function* writeBatch<Name extends string>(
  columns: BatchColumns<Name>,
  batch: readonly (Claim & BatchRow<Name>)[],
  writeText: string,
  writtenText: string,
  writeOne: typeof run,
): Script<ReadonlySet<string>> {
  const names = keysOf(columns)
  const chunks = chunksOf(inOrder(batch), (row) => names.map((name) => row[name]))
  const write = chunks.length === 1 ? writeOne : run
  const written = new Set<string>()
  for (const chunk of chunks) {
    const json = batchJson(columns, chunk)
    const ids = yield* whichOf(chunk, yield* write(writeText, json), () => look(writtenText, json))
    for (const id of ids) written.add(id)
  }
  return written
}
