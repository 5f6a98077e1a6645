/**
 * What a backup holds: the logical tables of all three engines, and the columns of each with their types. A new table or
 * column is added here, or to what is left out with its reason; a test compares this list with the schema.
 */
import { specColumnTypes } from '../jobs/job-columns.ts'
import type { Columns } from '../runtime/script.ts'

export interface BackedUpTable {
  readonly name: string
  /** Its rows are read and written in the order of these columns, which are unique. */
  readonly key: readonly string[]
  /** In the order of the file. */
  readonly columns: Columns
  /** Which of its rows; all where it says nothing. */
  readonly where?: string
  /** Columns that no backup holds: `write-tables` fills them in. */
  readonly without?: readonly string[]
}

/** In the order in which they are written. */
export const backedUpTables: readonly BackedUpTable[] = [
  {
    name: 'jobs',
    key: ['id'],
    columns: {
      ...uuid('id'),
      ...text('name state'),
      ...number('version revision revision_from'),
      ...specColumnTypes,
      ...number('accounted_until ledger_from'),
      ...text('tz_version'),
      ...number('next_due_at open_tick_at runs chain_yields paused_at paused_until'),
      ...text('paused_reason paused_by managed_by managed_hash'),
      ...number('created_at updated_at deleted_at'),
    },
  },
  { name: 'job_tags', key: ['tag', 'job_id'], columns: { ...text('tag'), ...uuid('job_id') } },
  {
    name: 'job_revisions',
    key: ['job_id', 'revision'],
    columns: {
      ...uuid('job_id'),
      ...number('revision from_at'),
      ...text('spec changed_by'),
      ...number('changed_at'),
      ...text('tz_version'),
    },
  },
  {
    name: 'job_executions',
    key: ['seq'],
    columns: {
      ...number('seq'),
      ...uuid('id job_id'),
      ...text('cause'),
      ...number('tick_at'),
      ...text('account'),
      ...number('scheduled_for'),
      ...text('state'),
      ...number('ready_at start_by'),
      ...text('queue'),
      ...number('priority'),
      ...text('handler'),
      ...number('attempt max_attempts caught_up_index caught_up_of'),
      ...text('input result error cancel_reason'),
      ...number('cancel_requested_at'),
      ...real('progress'),
      ...text('progress_note metadata unique_key'),
      ...uuid('retry_of'),
      ...text('idempotency_key'),
      ...number('fence'),
      ...text('leased_by'),
      ...number('leased_until reserve_place created_at started_at finished_at'),
    },
  },
  {
    name: 'attempts',
    key: ['seq'],
    columns: {
      ...number('seq'),
      ...uuid('execution_id'),
      ...number('attempt fence'),
      ...text('node_id'),
      ...number('started_at finished_at'),
      ...text('outcome error'),
    },
  },
  {
    name: 'usages',
    key: ['execution_id', 'fence'],
    columns: { ...uuid('execution_id'), ...number('fence peak_memory_bytes cpu_ms') },
  },
  {
    name: 'execution_logs',
    key: ['seq'],
    columns: { ...number('seq'), ...uuid('execution_id'), ...number('at'), ...text('level message') },
  },
  {
    name: 'steps',
    key: ['execution_id', 'name'],
    columns: {
      ...uuid('execution_id'),
      ...text('name kind'),
      ...number('fence attempt tries begun_at ends_at decided_at'),
      ...text('outcome result signal_id signalled_by'),
      ...number('rest_fence'),
    },
  },
  // Facts of before the backup that nobody has been told of yet: told after a restore, perhaps again.
  {
    name: 'notices',
    key: ['seq'],
    columns: {
      ...number('seq'),
      ...text('type'),
      ...number('at'),
      ...uuid('job_id'),
      ...text('subject body'),
    },
  },
  {
    name: 'tick_ranges',
    key: ['id'],
    columns: {
      ...number('id'),
      ...uuid('job_id'),
      ...number('from_at to_at count'),
      ...text('account reason outcome cancel_reason'),
      ...uuid('execution_id'),
      ...number('into_at revision'),
      ...text('tz_version packed'),
      ...number('created_at'),
    },
  },
  {
    name: 'ledger_totals',
    key: ['job_id', 'account', 'reason'],
    columns: { ...uuid('job_id'), ...text('account reason'), ...number('count') },
  },
  {
    name: 'day_totals',
    key: ['job_id', 'day_at', 'state'],
    columns: { ...uuid('job_id'), ...number('day_at'), ...text('state'), ...number('count') },
  },
  {
    name: 'zone_spans',
    key: ['job_id', 'from_at'],
    columns: { ...uuid('job_id'), ...number('from_at'), ...text('tz_version') },
  },
  {
    name: 'unproven',
    key: ['job_id'],
    columns: { ...uuid('job_id'), ...number('failures failed_at'), ...uuid('execution_id') },
  },
  // They say which of the leased executions have begun: whoever takes those back after a restore asks them.
  {
    name: 'reserves',
    key: ['node_id', 'queue'],
    columns: { ...text('node_id queue'), ...number('turn from_place begun_to begun_at') },
  },
  {
    name: 'queues',
    key: ['name'],
    columns: { ...text('name'), ...number('paused_at'), ...text('paused_by paused_reason') },
  },
  // Of each lock its fence, so that the next holder's is larger; nobody holds it after a restore.
  {
    name: 'locks',
    key: ['name'],
    columns: { ...text('name'), ...number('fence') },
    where: `name <> 'leader'`,
    without: ['holder', 'token', 'expires_at', 'lifeline'],
  },
  // Sealed: whoever has the file without the key of its nodes has none of them.
  {
    name: 'secrets',
    key: ['name'],
    columns: {
      ...text('name sealed'),
      ...number('created_at'),
      ...text('created_by'),
      ...number('changed_at'),
      ...text('changed_by'),
    },
  },
  {
    name: 'check_in_tokens',
    key: ['job_id'],
    columns: { ...uuid('job_id'), ...text('hash'), ...number('made_at'), ...text('made_by') },
  },
  {
    name: 'check_ins',
    key: ['job_id', 'tick_at'],
    columns: { ...uuid('job_id'), ...number('tick_at started_at ended_at'), ...text('outcome note') },
  },
  {
    name: 'alert_rules',
    key: ['name'],
    columns: { ...text('name rule'), ...number('changed_at'), ...text('changed_by') },
  },
  {
    name: 'alerts',
    key: ['id'],
    columns: {
      ...uuid('id'),
      ...text('rule kind severity subject'),
      ...uuid('job_id'),
      ...text('name open_key'),
      ...number('value since_at opened_at resolved_at acknowledged_at'),
      ...text('acknowledged_by'),
      ...number('snoozed_until'),
      ...text('snoozed_by note untold'),
      ...number('untold_at told_at'),
      ...text('acted_mark'),
    },
  },
  {
    name: 'audit_log',
    key: ['id'],
    columns: {
      ...number('id at'),
      ...text('actor origin action subject before_value after_value'),
    },
  },
  {
    name: 'audit_seals',
    key: ['id'],
    columns: {
      ...number('id from_id to_id entries'),
      ...text('hash'),
      ...number('sealed_at term_id pruned_at'),
    },
  },
  // Those of programs. People sign in again: their sessions, and links to sign in with, are not kept.
  {
    name: 'access_tokens',
    key: ['id'],
    columns: {
      ...text('id kind name role'),
      ...number('created_at'),
      ...text('created_by parent_id'),
      ...number('expires_at used_at revoked_at'),
    },
    where: `kind = 'token'`,
  },
  {
    name: 'scheduler_leader_log',
    key: ['id'],
    columns: {
      ...number('id'),
      ...text('leader_instance'),
      ...timestamp('start_time stop_time last_heartbeat'),
      ...flag('handled_missed_tasks'),
      ...timestamp('created_at updated_at'),
    },
  },
  {
    name: 'term_repairs',
    key: ['term_id'],
    columns: { ...number('term_id found caught_up coalesced skipped'), ...text('tz_version') },
  },
  {
    name: 'missed_ticks',
    key: ['id'],
    columns: { ...number('id term_id'), ...text('job_name account reason'), ...number('count') },
  },
  {
    name: 'enqueue_marks',
    key: ['mark'],
    columns: { ...text('mark'), ...number('claimed_by enqueued_at expires_at') },
  },
]

/** Tables that no backup holds, and why. A restore empties them. */
export const leftOutTables = {
  nodes: 'the processes that lived then: those that live now introduce themselves',
  node_handlers: 'what those processes could run',
  orphans: 'how long no live node could run a job, which is counted anew',
  idempotency_keys: 'answers of the API that are kept for a day, and may hold a token that was just made',
} as const

/** They belong to the schema of a database, and not to what is in it. */
export const schemaTables = ['migrations'] as const

function text(names: string): Columns {
  return columnsOf(names, 'text')
}

function uuid(names: string): Columns {
  return columnsOf(names, 'uuid')
}

function number(names: string): Columns {
  return columnsOf(names, 'number')
}

function real(names: string): Columns {
  return columnsOf(names, 'real')
}

function timestamp(names: string): Columns {
  return columnsOf(names, 'timestamp')
}

function flag(names: string): Columns {
  return columnsOf(names, 'flag')
}

function columnsOf(names: string, type: Columns[string]): Columns {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]))
}
