/** The raw limit of PostgreSQL, over `pg`: one prepared statement and one parameter for a whole batch, on one connection. */
import type { Client } from 'pg'
import { newId } from '../../src/app/ids.ts'
import { finishedColumns } from '../../src/store/sql/work/make-final.ts'
import type { RawExecutions } from './engine.ts'

const jobId = newId(Date.now())
const columns = `id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority, handler, max_attempts,
  input, metadata, unique_key, created_at`

const insertOne = {
  name: 'raw_insert_one',
  text: `INSERT INTO evertick.live_executions (${columns})
    VALUES ($1, $2, 'enqueue', $3, 'pending', $3, NULL, 'default', 0, 'raw', 3, $4, NULL, NULL, $3)`,
}
const insertMany = {
  name: 'raw_insert_many',
  text: `INSERT INTO evertick.live_executions (${columns})
    SELECT r.id, $2, 'enqueue', $3, 'pending', $3, NULL, 'default', 0, 'raw', 3, r.input, NULL, NULL, $3
    FROM json_to_recordset($1) AS r(id uuid, input text)`,
}
const claim = {
  name: 'raw_claim',
  text: `
    WITH ready AS MATERIALIZED (
      SELECT seq FROM evertick.live_executions
      WHERE queue = 'default' AND state IN ('pending', 'retrying') AND priority = 0 AND ready_at <= $1
      ORDER BY ready_at, seq LIMIT $2 FOR UPDATE SKIP LOCKED)
    UPDATE evertick.live_executions SET state = 'running', fence = fence + 1, leased_by = 'raw', leased_until = $3,
      attempt = attempt + 1, started_at = $1
    WHERE seq = ANY (ARRAY(SELECT seq FROM ready)) RETURNING seq, id, fence, input`,
}
const kept = finishedColumns.map((name) => {
  if (name === 'state') return `'completed'`
  return name === 'finished_at' ? '$3::bigint' : name
})
const finish = {
  name: 'raw_finish',
  text: `
    WITH done AS (
      DELETE FROM evertick.live_executions e USING unnest($1::bigint[], $2::bigint[]) AS c(seq, fence)
      WHERE e.seq = c.seq AND e.fence = c.fence AND e.state = 'running' RETURNING e.*)
    INSERT INTO evertick.finished_executions (${finishedColumns.join(', ')}) SELECT ${kept.join(', ')} FROM done`,
}

export class PostgresRaw implements RawExecutions {
  readonly #client: Client

  constructor(client: Client) {
    this.#client = client
  }

  async insert(count: number, batch: number): Promise<void> {
    for (let done = 0; done < count; done += batch) {
      const now = Date.now()
      if (batch === 1) {
        await this.#client.query({
          ...insertOne,
          values: [newId(now), jobId, now, JSON.stringify({ n: done })],
        })
        continue
      }
      const rows = Array.from({ length: batch }, (_, index) => ({
        id: newId(now),
        input: JSON.stringify({ n: done + index }),
      }))
      await this.#client.query({ ...insertMany, values: [JSON.stringify(rows), jobId, now] })
    }
  }

  async drain(batch: number): Promise<number> {
    for (let done = 0; ; ) {
      const now = Date.now()
      const { rows } = await this.#client.query<{ seq: number; fence: number }>({
        ...claim,
        values: [now, batch, now + 30_000],
      })
      if (rows.length === 0) return done
      const values = [rows.map(({ seq }) => seq), rows.map(({ fence }) => fence), Date.now()]
      await this.#client.query({ ...finish, values })
      done += rows.length
    }
  }
}
