/** The raw limit of MariaDB, over `mysql2`: a statement for a whole batch, on one connection. It returns no updated rows. */
import type { Connection, RowDataPacket } from 'mysql2/promise'
import { newId } from '../../src/app/ids.ts'
import type { RawExecutions } from './engine.ts'

const jobId = newId(Date.now())
const insertText = `
  INSERT INTO evertick_job_executions (id, job_id, cause, scheduled_for, state, ready_at, start_by, queue, priority,
    handler, max_attempts, input, metadata, unique_key, created_at)
  VALUES ?`

/** The head of the backlog, by the index of claims. */
const readyText = `
  SELECT seq, id, fence, input FROM evertick_job_executions FORCE INDEX (evertick_job_executions_claim)
  WHERE queue = 'default' AND claim_priority = 0 AND ready_at <= ?
  ORDER BY ready_at, seq LIMIT ? FOR UPDATE SKIP LOCKED`

const claimText = `
  UPDATE evertick_job_executions SET state = 'running', fence = fence + 1, leased_by = 'raw', leased_until = ?,
    attempt = attempt + 1, started_at = ? WHERE seq IN (?)`

const finishText = `
  UPDATE JSON_TABLE(?, '$[*]' COLUMNS (seq BIGINT PATH '$[0]', fence BIGINT PATH '$[1]')) c
  STRAIGHT_JOIN evertick_job_executions e ON e.seq = c.seq
  SET e.state = 'completed', e.finished_at = ?, e.leased_until = NULL
  WHERE e.fence = c.fence AND e.state = 'running'`

type Ready = RowDataPacket & { readonly seq: number; readonly fence: number }

export class MysqlRaw implements RawExecutions {
  readonly #client: Connection

  constructor(client: Connection) {
    this.#client = client
  }

  async insert(count: number, batch: number): Promise<void> {
    for (let done = 0; done < count; done += batch) {
      const rows = Array.from({ length: batch }, (_, index) => rawRow(done + index))
      await this.#client.query(insertText, [rows])
    }
  }

  async drain(batch: number): Promise<number> {
    for (let done = 0; ; ) {
      const claimed = await this.#claim(batch)
      if (claimed.length === 0) return done
      const held = claimed.map(({ seq, fence }) => [seq, fence + 1])
      await this.#client.query(finishText, [JSON.stringify(held), Date.now()])
      done += claimed.length
    }
  }

  async #claim(batch: number): Promise<Ready[]> {
    const now = Date.now()
    await this.#client.query('START TRANSACTION')
    const [ready] = await this.#client.query<Ready[]>(readyText, [now, batch])
    if (ready.length > 0) {
      await this.#client.query(claimText, [now + 30_000, now, ready.map(({ seq }) => seq)])
    }
    await this.#client.query('COMMIT')
    return ready
  }
}

function rawRow(n: number): readonly (string | number | null)[] {
  const now = Date.now()
  const input = JSON.stringify({ n })
  return [
    newId(now),
    jobId,
    'enqueue',
    now,
    'pending',
    now,
    null,
    'default',
    0,
    'raw',
    3,
    input,
    null,
    null,
    now,
  ]
}
