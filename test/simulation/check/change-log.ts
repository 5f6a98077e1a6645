/**
 * Sees every change that is committed, with the row before and after it: triggers write them down in the transaction that
 * makes them, and a connection of its own reads what is new. The code under test knows nothing of it.
 */
import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'

export interface ExecutionRow {
  readonly id: string
  readonly job_id: string
  readonly cause: string
  readonly tick_at: number | null
  readonly account: string | null
  readonly state: 'blocked' | 'pending' | 'running' | 'retrying' | 'completed' | 'failed' | 'cancelled'
  readonly ready_at: number
  readonly attempt: number
  readonly max_attempts: number
  readonly fence: number
  readonly leased_by: string | null
  readonly leased_until: number | null
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly cancel_requested_at: number | null
  readonly cancel_reason: string | null
  readonly unique_key: string | null
  readonly retry_of: string | null
  readonly queue: string
  readonly start_by: number | null
  readonly reserve_place: number | null
}

export interface JobRow {
  readonly id: string
  readonly name: string
  readonly state: string
  readonly version: number
  readonly revision: number
  readonly revision_from: number
  readonly spec: string
  readonly accounted_until: number
  readonly ledger_from: number
  readonly next_due_at: number | null
  readonly open_tick_at: number | null
  readonly paused_at: number | null
  readonly runs: number
  readonly deleted_at: number | null
  readonly updated_at: number
}

export interface RangeRow {
  readonly id: number
  readonly job_id: string
  readonly from_at: number
  readonly to_at: number
  readonly count: number
  readonly account: string
  readonly reason: string | null
  readonly outcome: string | null
  readonly cancel_reason: string | null
  readonly packed: string | null
  readonly revision: number
}

export interface LockRow {
  readonly name: string
  readonly holder: string
  readonly token: string
  readonly fence: number
  readonly expires_at: number
  readonly lifeline: string | null
}

export interface TermRow {
  readonly id: number
  readonly leader_instance: string
  readonly start_time: string
  readonly handled_missed_tasks: number
}

export interface QueueRow {
  readonly name: string
  readonly paused_at: number | null
}

export interface ReserveRow {
  readonly node_id: string
  readonly queue: string
  readonly turn: number
  readonly from_place: number
  readonly begun_to: number
}

export interface EffectRow {
  readonly execution_id: string
  readonly attempt: number
}

export interface AttemptRow {
  readonly execution_id: string
  readonly attempt: number
  readonly fence: number
  readonly outcome: string
}

export interface StepRow {
  readonly execution_id: string
  readonly name: string
  readonly kind: 'step' | 'sleep' | 'wait'
  readonly fence: number | null
  readonly begun_at: number
  readonly ends_at: number | null
  readonly decided_at: number | null
  readonly outcome: 'done' | 'slept' | 'signalled' | 'timed_out' | null
  readonly result: string | null
  readonly signal_id: string | null
  readonly signalled_by: string | null
  readonly rest_fence: number | null
}

/** What a step has written in its own transaction. */
export interface StepEffectRow {
  readonly execution_id: string
  readonly name: string
}

/** In the outbox. */
export interface NoticeRow {
  readonly seq: number
  readonly type: string
  readonly subject: string
}

export interface Rows {
  execution: ExecutionRow
  job: JobRow
  range: RangeRow
  lock: LockRow
  term: TermRow
  effect: EffectRow
  queue: QueueRow
  reserve: ReserveRow
  attempt: AttemptRow
  step: StepRow
  stepEffect: StepEffectRow
  notice: NoticeRow
}

/** A row before and after; one of them is null where it was made or is gone. */
export type Change = {
  [Name in keyof Rows]: {
    readonly table: Name
    /** The node that committed it. */
    readonly writer: string
    readonly before: Rows[Name] | null
    readonly after: Rows[Name] | null
  }
}[keyof Rows]

const executionColumns = `id, job_id, cause, tick_at, account, state, ready_at, attempt, max_attempts, fence, leased_by,
  retry_of, leased_until, started_at, finished_at, cancel_requested_at, cancel_reason, unique_key, queue, start_by, reserve_place`
const jobColumns = `id, name, state, version, revision, revision_from, spec, accounted_until, ledger_from, next_due_at, open_tick_at,
  paused_at, runs, deleted_at, updated_at`

const watched: readonly Watched[] = [
  { table: 'job', name: 'evertick_jobs', columns: jobColumns },
  {
    table: 'range',
    name: 'evertick_tick_ranges',
    columns: 'id, job_id, from_at, to_at, count, account, reason, outcome, cancel_reason, packed, revision',
  },
  { table: 'lock', name: 'evertick_locks', columns: 'name, holder, token, fence, expires_at, lifeline' },
  {
    table: 'term',
    name: 'scheduler_leader_log',
    columns: 'id, leader_instance, start_time, handled_missed_tasks',
  },
  { table: 'queue', name: 'evertick_queues', columns: 'name, paused_at' },
  { table: 'reserve', name: 'evertick_reserves', columns: 'node_id, queue, turn, from_place, begun_to' },
  { table: 'effect', name: 'effects', columns: 'execution_id, attempt' },
  { table: 'attempt', name: 'evertick_attempts', columns: 'execution_id, attempt, fence, outcome' },
  {
    table: 'step',
    name: 'evertick_steps',
    columns: `execution_id, name, kind, fence, begun_at, ends_at, decided_at, outcome, result, signal_id, signalled_by, rest_fence`,
  },
  { table: 'stepEffect', name: 'step_effects', columns: 'execution_id, name' },
  { table: 'notice', name: 'evertick_notices', columns: 'seq, type, subject' },
]

interface Watched {
  readonly table: keyof Rows
  readonly name: string
  readonly columns: string
  /** The same row here means that this one has only moved. */
  readonly other?: string
}

function triggersOf({ table, name, columns, other }: Watched): string {
  const list = columns.split(/,\s*/)
  const object = (side: 'old' | 'new') => `json_object(${list.map((c) => `'${c}', ${side}.${c}`).join(', ')})`
  const write = (before: string, after: string) =>
    `BEGIN INSERT INTO sim_changes VALUES (NULL, sim_writer(), '${table}', ${before}, ${after}); END;`
  const unlessMoved = (side: 'old' | 'new') =>
    other === undefined
      ? ''
      : `WHEN NOT EXISTS (SELECT 1 FROM ${other} o WHERE o.id = ${side}.id AND o.state = ${side}.state)`
  return `
    CREATE TRIGGER sim_${name}_made AFTER INSERT ON ${name} ${unlessMoved('new')} ${write('NULL', object('new'))}
    CREATE TRIGGER sim_${name}_changed AFTER UPDATE OF ${columns} ON ${name} ${write(object('old'), object('new'))}
    CREATE TRIGGER sim_${name}_gone AFTER DELETE ON ${name} ${unlessMoved('old')} ${write(object('old'), 'NULL')}`
}

const [live, finished] = ['evertick_live_executions', 'evertick_finished_executions']
const executions = { table: 'execution', columns: executionColumns } as const
const inOneTable: readonly Watched[] = [{ ...executions, name: 'evertick_job_executions' }]
const inTwoTables: readonly Watched[] = [
  { ...executions, name: live, other: finished },
  { ...executions, name: finished, other: live },
]

export class ChangeLog {
  readonly client: DatabaseSync
  readonly #version: StatementSync
  readonly #news: StatementSync
  readonly #forget: StatementSync
  #seen = -1
  /** Somebody's transaction was open at the last look. */
  isBehind = false
  #last = 0

  /** On a database that has Evertick's schema. */
  constructor(path: string) {
    this.client = new DatabaseSync(path)
    this.client.exec(`
      PRAGMA busy_timeout = 0;
      CREATE TABLE effects (execution_id TEXT NOT NULL, attempt INTEGER NOT NULL);
      CREATE TABLE step_effects (execution_id TEXT NOT NULL, name TEXT NOT NULL);
      CREATE TABLE sim_changes (
        seq INTEGER PRIMARY KEY AUTOINCREMENT, writer TEXT, name TEXT NOT NULL, before TEXT, after TEXT);
      ${[...executionTables(this.client), ...watched].map(triggersOf).join('\n')}`)
    this.#version = this.client.prepare('PRAGMA data_version')
    this.#news = this.client.prepare('SELECT * FROM sim_changes WHERE seq > ? ORDER BY seq')
    this.#forget = this.client.prepare('DELETE FROM sim_changes WHERE seq <= ?')
  }

  /** What was committed since the last look; nothing while somebody's transaction is open. */
  read(): Change[] {
    try {
      this.isBehind = false
      const version = Number(this.#version.get()?.['data_version'])
      if (version === this.#seen) return []
      this.#seen = version
      const found = this.#news.all(this.#last)
      if (found.length === 0) return []
      this.#last = Number(found.at(-1)?.['seq'])
      return found.map(changeFrom)
    } catch (error) {
      if (!isLocked(error)) throw error
      this.isBehind = true
      return []
    }
  }

  /** In a long history the log would outgrow what it is about. False while somebody's transaction is open. */
  forget(): boolean {
    try {
      this.#forget.run(this.#last)
      return true
    } catch (error) {
      if (!isLocked(error)) throw error
      return false
    }
  }

  close(): void {
    this.client.close()
  }
}

function isLocked(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5
}

function changeFrom({ writer, name, before, after }: Record<string, SQLOutputValue>): Change {
  const row = (written: SQLOutputValue | undefined): unknown =>
    typeof written === 'string' ? JSON.parse(written) : null
  return { table: name, writer, before: row(before), after: row(after) } as Change
}

function executionTables(client: DatabaseSync): readonly Watched[] {
  return client.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(finished) === undefined
    ? inOneTable
    : inTwoTables
}
