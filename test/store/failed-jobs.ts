/** Jobs that have failed three times in a row, as many as are asked for, written behind Evertick's back: each a copy of one. */
import type { DatabaseSync } from 'node:sqlite'

/** The job that there is by then is one of them. */
export function failedJobs(behind: DatabaseSync, count: number): void {
  const columns = behind
    .prepare(`SELECT name FROM pragma_table_info('evertick_jobs')`)
    .all()
    .map(({ name }) => String(name))
  const values = columns.map((column) => {
    if (column === 'id') return `printf('0199a0a0-0000-7000-8000-%012d', n.value)`
    return column === 'name' ? `'job-' || n.value` : `j.${column}`
  })
  const ofUsers = `j.name NOT LIKE '@%'`
  behind.exec(`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${count - 1})
    INSERT INTO evertick_jobs (${columns.join(', ')})
    SELECT ${values.join(', ')} FROM evertick_jobs j, n WHERE ${ofUsers}`)
  behind.exec(`DELETE FROM evertick_unproven; INSERT INTO evertick_unproven (job_id, failures, failed_at)
    SELECT j.id, 3, 0 FROM evertick_jobs j WHERE ${ofUsers}`)
}
