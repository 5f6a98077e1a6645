/** What the invoices used, as if they had run apart: in a month on a manual clock nothing takes memory or time. */
import { DatabaseSync } from 'node:sqlite'

/** Larger at the end of the week, and now and then much larger; the same in each run. */
const text = `
  INSERT INTO evertick_usages (execution_id, fence, peak_memory_bytes, cpu_ms)
  SELECT e.id, e.fence, 150000000 + (e.scheduled_for / 86400000 % 7) * 9000000 + (e.scheduled_for / 86400000 % 11 = 3) * 160000000,
    3000 + (e.scheduled_for / 86400000 % 5) * 420 + (e.scheduled_for / 86400000 % 11 = 3) * 2600
  FROM evertick_job_executions e JOIN evertick_jobs j ON j.id = e.job_id
  WHERE j.name = 'billing.send-invoices' AND e.started_at IS NOT NULL`

export function seedUsage(path: string): void {
  const database = new DatabaseSync(path)
  database.exec(text)
  database.close()
}
