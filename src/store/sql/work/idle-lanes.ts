/** Jobs with something blocked and a lane that is free: normally none, since whoever ends work releases the next. */
import { text } from '../runtime/rows.ts'
import { rows, type Script } from '../runtime/script.ts'
import { isActive } from './states.ts'

/** The next look finds the rest. */
export const mostIdle = 500

/**
 * A loose scan over the jobs with something blocked, one seek each, where an index has them in order. To ask of each blocked
 * row whether its job is idle took SQLite 21 s for 200 jobs with a chain of 1,000 each, and the event loop with it; so it
 * takes 2 ms. By cause, or SQLite looks for what is ready in the whole history of the job. Not by `min`: PostgreSQL before
 * version 18 has none for ids.
 */
const idleText = `
  WITH RECURSIVE blocked(job_id) AS (
    SELECT (SELECT e.job_id FROM @live_executions e WHERE e.state = 'blocked' ORDER BY e.job_id LIMIT 1)
    UNION ALL
    SELECT (SELECT e.job_id FROM @live_executions e
      WHERE e.state = 'blocked' AND e.job_id > b.job_id ORDER BY e.job_id LIMIT 1)
    FROM blocked b WHERE b.job_id IS NOT NULL)
  SELECT b.job_id FROM blocked b
  WHERE b.job_id NOT IN (SELECT job_id FROM @live_executions WHERE ${isActive} AND cause <> 'enqueue')
    AND (SELECT e.ready_at FROM @live_executions e
      WHERE e.job_id = b.job_id AND e.state = 'blocked' AND e.ready_at <= ? ORDER BY e.cause LIMIT 1) IS NOT NULL
  LIMIT ?`

export function* findIdleLanes(now: number): Script<string[]> {
  return (yield* rows(idleText, now, mostIdle)).map(({ job_id }) => text(job_id))
}
