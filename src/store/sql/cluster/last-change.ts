import { row, type Script } from '../runtime/script.ts'

/** What a poll compares: new executions, changed jobs, another leader. Retries and releases come with a worker's own poll. */
export function* lastChange(): Script<string> {
  const found = yield* row(
    `SELECT (SELECT max(seq) FROM @job_executions) AS seq, (SELECT max(updated_at) FROM @jobs) AS updated_at,
       (SELECT fence FROM @locks WHERE name = 'leader') AS fence`,
  )
  return `${found?.seq}:${found?.updated_at}:${found?.fence}`
}
