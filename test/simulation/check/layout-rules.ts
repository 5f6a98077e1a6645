/** Where unfinished and finished executions have a table each, every execution is in exactly the one that its state says. */
import type { DatabaseSync } from 'node:sqlite'
import { Violation } from './violation.ts'

const final = `state IN ('completed', 'failed', 'cancelled')`
const misplacedText = `
  SELECT id, state FROM evertick_live_executions WHERE ${final}
  UNION ALL SELECT id, state FROM evertick_finished_executions WHERE NOT ${final}
  UNION ALL SELECT l.id, l.state FROM evertick_live_executions l JOIN evertick_finished_executions f ON f.id = l.id
  UNION ALL SELECT l.id, l.state FROM evertick_live_executions l
    JOIN evertick_finished_executions f ON f.job_id = l.job_id AND f.tick_at = l.tick_at`

export function checkLayout(client: DatabaseSync): void {
  const [misplaced] = client.prepare(misplacedText).all()
  if (misplaced === undefined) return
  throw new Violation(
    'an end moves its row',
    `execution ${String(misplaced['id'])}, ${String(misplaced['state'])}, is in the wrong table, or its tick in both`,
  )
}
