/**
 * A test that writes executions by hand names one table of them. Where PostgreSQL has two, all rows are gathered in one,
 * written there, and sorted into both again by their state.
 */
import { finishedColumns } from '../../src/store/sql/work/make-final.ts'

const schema = 'evertick'
const names = finishedColumns.join(', ')

const gather = `WITH gone AS (DELETE FROM ${schema}.finished_executions RETURNING *)
  INSERT INTO ${schema}.live_executions (${names}) OVERRIDING SYSTEM VALUE
  SELECT ${names} FROM gone`
const sort = `WITH gone AS (
    DELETE FROM ${schema}.live_executions WHERE state IN ('completed', 'failed', 'cancelled') RETURNING *)
  INSERT INTO ${schema}.finished_executions (${names})
  SELECT ${finishedColumns.map((name) => (name === 'finished_at' ? 'COALESCE(finished_at, created_at)' : name)).join(', ')}
  FROM gone`

type Query = (text: string, params?: readonly unknown[]) => Promise<unknown>

/** The statement for the one table, where it writes executions; else null. */
export function writesExecutions(text: string): string | null {
  const written = text.replace(/^(UPDATE|DELETE FROM|INSERT INTO) @job_executions/, '$1 @live_executions')
  return written === text ? null : written
}

/** `write` is the statement for the one table, spelled. */
export async function byHandOnPostgres(
  query: Query,
  write: string,
  params: readonly unknown[],
): Promise<unknown> {
  await query('BEGIN')
  try {
    await query(gather)
    const answer = await query(write, params)
    await query(sort)
    await query('COMMIT')
    return answer
  } catch (error) {
    await query('ROLLBACK')
    throw error
  }
}
