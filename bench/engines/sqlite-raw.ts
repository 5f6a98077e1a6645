/** The raw limit of SQLite, over `node:sqlite`: one prepared statement per row, inside one transaction. */
import type { DatabaseSync } from 'node:sqlite'
import { newId } from '../../src/app/ids.ts'
import type { RawExecutions } from './engine.ts'

const jobId = newId(Date.now())

export class SqliteRaw implements RawExecutions {
  readonly #client: DatabaseSync
  readonly #insert
  readonly #ready
  readonly #claim
  readonly #finish

  constructor(client: DatabaseSync) {
    this.#client = client
    this.#insert = client.prepare(
      `INSERT INTO evertick_job_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority,
         handler, max_attempts, input, metadata, unique_key, created_at)
       VALUES (?, ?, 'enqueue', ?, 'pending', ?, NULL, 'default', 0, 'raw', 3, ?, NULL, NULL, ?)`,
    )
    this.#ready = client.prepare(
      `SELECT seq, id, fence, input FROM evertick_job_executions
       WHERE queue = 'default' AND state IN ('pending', 'retrying') AND priority = 0 AND ready_at <= ?
       ORDER BY ready_at, seq LIMIT ?`,
    )
    this.#claim = client.prepare(
      `UPDATE evertick_job_executions SET state = 'running', fence = fence + 1, leased_by = 'raw', leased_until = ?,
         attempt = attempt + 1, started_at = ? WHERE seq = ? AND state IN ('pending', 'retrying')`,
    )
    this.#finish = client.prepare(
      `UPDATE evertick_job_executions SET state = 'completed', finished_at = ?, leased_until = NULL
       WHERE seq = ? AND fence = ? AND state = 'running'`,
    )
  }

  async insert(count: number, batch: number): Promise<void> {
    for (let done = 0; done < count; done += batch) {
      inTransaction(this.#client, () => {
        for (let index = 0; index < batch; index += 1) {
          const now = Date.now()
          this.#insert.run(newId(now), jobId, now, now, JSON.stringify({ n: done + index }), now)
        }
      })
    }
  }

  async drain(batch: number): Promise<number> {
    for (let done = 0; ; ) {
      let claimed: Record<string, unknown>[] = []
      inTransaction(this.#client, () => {
        const now = Date.now()
        claimed = this.#ready.all(now, batch)
        for (const row of claimed) this.#claim.run(now + 30_000, now, row.seq as number)
      })
      if (claimed.length === 0) return done
      inTransaction(this.#client, () => {
        const now = Date.now()
        for (const row of claimed) this.#finish.run(now, row.seq as number, (row.fence as number) + 1)
      })
      done += claimed.length
    }
  }
}

export function inTransaction(client: DatabaseSync, work: () => void): void {
  client.exec('BEGIN IMMEDIATE')
  work()
  client.exec('COMMIT')
}
