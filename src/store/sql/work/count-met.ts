/** What waits for others to end, and for how many of them. */
import { ownStartByText } from '../jobs/job-columns.ts'
import { run, type Script } from '../runtime/script.ts'

const countText = `
  UPDATE @live_executions SET open_parents = open_parents - ? WHERE id IN ?* AND state = 'pending' AND waits_for = 'dependency'`

/** Left to right: MariaDB sees what was set before it. A deadline counts from here. */
const releaseText = `
  UPDATE @live_executions SET
    ready_at = CASE WHEN wait_ready_at > ? THEN wait_ready_at ELSE ? END,
    start_by = ${ownStartByText('CASE WHEN wait_ready_at > ? THEN wait_ready_at ELSE ?::bigint END')},
    waits_for = NULL, wait_ready_at = NULL, open_parents = NULL
  WHERE id IN ?* AND state = 'pending' AND waits_for = 'dependency' AND open_parents <= 0`

/** Each of these has so many fewer to wait for; what has none left is ready, unless its own time is still to come. */
export function* countMet(ids: readonly string[], met: number, now: number): Script<void> {
  yield* run(countText, met, ids)
  yield* run(releaseText, now, now, now, now, ids)
}
