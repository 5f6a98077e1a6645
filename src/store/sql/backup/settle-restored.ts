/**
 * What a restore adds to the rows of its backup, in the same transaction: nobody who still works by the old rows can write
 * to the new ones, the numbers that the database gives go on, and the audit log says what has happened.
 */
import type { ReplaceRequest, Store } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { timestamp } from '../cluster/leadership.ts'
import { number, text } from '../runtime/rows.ts'
import { insertRow, row, rows, run, type Script } from '../runtime/script.ts'
import { isUnfinished } from '../work/states.ts'

/** More claims, or holders of a lock, than there can have been since the backup. */
const fenceJump = 1_000_000
/** The same of terms, whose number has to stay below 2^31. */
const termJump = 100_000

/** The leader of the term that a restore writes. */
const restorer = 'restore'

export interface RestoreInto {
  readonly dialect: Store['dialect']
  readonly tzVersion: string
}

export function* settleRestored(
  { context, source, action }: Pick<ReplaceRequest, 'context' | 'source' | 'action'>,
  newestTerm: number,
  { dialect, tzVersion }: RestoreInto,
): Script<void> {
  const { now } = context
  // A rest knows its execution by the fence.
  yield* run(
    `UPDATE @steps SET rest_fence = rest_fence + ? WHERE rest_fence IS NOT NULL
       AND execution_id IN (SELECT id FROM @live_executions WHERE ${isUnfinished})`,
    fenceJump,
  )
  yield* run(
    `UPDATE @live_executions SET leased_until = ? WHERE state = 'running' AND leased_until > ?`,
    now,
    now,
  )
  yield* run(`UPDATE @live_executions SET fence = fence + ? WHERE ${isUnfinished}`, fenceJump)
  yield* run('UPDATE @locks SET fence = fence + ?', fenceJump)
  yield* writeTerm(newestTerm, tzVersion, now)
  if (dialect === 'postgres') yield* moveSequences()
  yield* writeAuditLog({
    at: now,
    actor: context.actor,
    origin: context.origin,
    action,
    subject: 'database',
    before: null,
    after: source,
  })
}

/** A term without a length. The next leader's number follows it, and is above those of all that were elected since the backup. */
function* writeTerm(newestTerm: number, tzVersion: string, now: number): Script<void> {
  const restored = yield* row('SELECT max(id) AS id FROM @scheduler_leader_log')
  const id = Math.max(newestTerm, number(restored?.id ?? 0)) + termJump
  const at = timestamp(now)
  yield {
    into: 'scheduler_leader_log',
    columns: {
      id: 'number',
      leader_instance: 'text',
      start_time: 'timestamp',
      stop_time: 'timestamp',
      last_heartbeat: 'timestamp',
      created_at: 'timestamp',
      updated_at: 'timestamp',
    },
    rows: [
      {
        id,
        leader_instance: restorer,
        start_time: at,
        stop_time: at,
        last_heartbeat: at,
        created_at: at,
        updated_at: at,
      },
    ],
    numbered: true,
  }
  yield* insertRow('term_repairs', { term_id: id, tz_version: tzVersion })
}

const numberedText = `
  SELECT c.relname AS table_name, a.attname AS column_name
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE a.attidentity <> '' AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('@jobs'))
  ORDER BY c.relname`

/** PostgreSQL counts apart from what is in the table; the others go on from its largest number by themselves. */
function* moveSequences(): Script<void> {
  for (const numbered of yield* rows(numberedText)) {
    const [table, column] = [text(numbered.table_name), text(numbered.column_name)]
    // Those that have ended were numbered with the others.
    const all = table === 'live_executions' ? 'job_executions' : table
    yield* rows(
      `SELECT setval(pg_get_serial_sequence('@${table}', '${column}'), COALESCE(max(${column}), 0) + 1, false)
       FROM @${all}`,
    )
  }
}
