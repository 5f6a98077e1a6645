/**
 * What a command works on, under the names of the library: a local database or a remote server. A command cannot tell
 * which.
 */
import type { Access } from '../app/access/access.ts'
import type { AlertRules } from '../app/alerts/alert-rules.ts'
import type { Alerts } from '../app/alerts/alerts.ts'
import { contextOf } from '../app/app-context.ts'
import type { ActorOptions } from '../app/change-context.ts'
import { followChanges } from '../app/changes/follow-changes.ts'
import type { Hint } from '../app/changes/hint.ts'
import type { Leader, Nodes, Queues } from '../app/cluster/cluster.ts'
import { type ExportedCrontab, exportCrontab } from '../app/crontab/export-crontab.ts'
import type { Executions, Leases } from '../app/execution/executions.ts'
import type { SignalOptions } from '../app/execution/steps.ts'
import type { Jobs } from '../app/job/jobs.ts'
import type { ListedJob, ListJobs } from '../app/job/list-jobs.ts'
import { type ApplyRequest, type ApplyResult, applyList } from '../app/job/managed/apply-list.ts'
import { type ExportedJobs, exportJobs } from '../app/job/managed/export-jobs.ts'
import type { Locks } from '../app/locks/locks.ts'
import type { AuditLog } from '../app/log/audit-log.ts'
import type { Vault } from '../app/vault/vault.ts'
import type { Webhooks } from '../app/webhook/webhooks.ts'
import type { Evertick } from '../evertick.ts'
import type { Signalled } from '../store/store.ts'

/** `reset`: some events were missed. */
export type SystemEvent = Hint | { readonly type: 'reset' }

/** The part of a job query that commands use. */
export type JobQuery = Omit<ListJobs, 'total' | 'include'>

export interface SystemJobs
  extends Pick<
    Jobs,
    | 'get'
    | 'create'
    | 'update'
    | 'delete'
    | 'pause'
    | 'resume'
    | 'cancel'
    | 'retry'
    | 'trigger'
    | 'backfill'
    | 'explain'
    | 'ticks'
    | 'upcoming'
    | 'revisions'
    | 'stats'
    | 'convert'
    | 'resetCursor'
    | 'rotateCheckIn'
  > {
  list(query?: JobQuery): Promise<{ jobs: ListedJob[]; nextCursor: string | null }>
}

export interface System {
  readonly jobs: SystemJobs
  readonly executions: Pick<Executions, 'list' | 'get' | 'cancel' | 'retry' | 'logs'>
  readonly leader: Pick<Leader, 'current' | 'terms' | 'stepDown'>
  readonly leases: Pick<Leases, 'active' | 'expired' | 'resetExpired'>
  readonly locks: Pick<Locks, 'list' | 'release'>
  readonly queues: Pick<Queues, 'list' | 'pause' | 'resume'>
  readonly nodes: Pick<Nodes, 'list' | 'handlers'>
  readonly alerts: Pick<Alerts, 'list' | 'get' | 'count' | 'ack' | 'snooze'> & {
    readonly rules: Pick<AlertRules, 'list' | 'put' | 'delete'>
  }
  readonly auditLog: Pick<AuditLog, 'list' | 'verify'>
  readonly secrets: Pick<Vault, keyof Vault>
  readonly webhooks: Pick<Webhooks, keyof Webhooks>
  readonly audit: Evertick['audit']
  readonly metrics: Evertick['metrics']
  readonly why: Evertick['why']
  /** Answers a wait of an execution, by its id. */
  readonly signal: (id: string, name: string, payload: unknown, options: SignalOptions) => Promise<Signalled>
  readonly tokens: Pick<Access, 'createToken' | 'listTokens' | 'revoke'>
  readonly exportCrontab: (options: { format?: 'user' | 'system' }) => Promise<ExportedCrontab>
  readonly apply: (request: ApplyRequest, by: ActorOptions) => Promise<ApplyResult>
  /** All jobs, or those of these names. */
  readonly exportJobs: (names?: readonly string[]) => Promise<Omit<ExportedJobs, 'nextCursor'>>
  /** Reports changes on any node until the signal is aborted. */
  readonly follow: (tell: (event: SystemEvent) => void, signal: AbortSignal) => Promise<void>
}

/** What the doctor checks; it needs no tokens. */
export type ExaminedSystem = Omit<System, 'tokens' | 'apply' | 'exportJobs' | 'exportCrontab' | 'follow'>

/** `access` is only opened when a command needs it: most sign nothing. */
export function localSystem(evertick: Evertick, access: () => Promise<Access>): System {
  const { jobs, executions, leader, leases, locks, queues, nodes, alerts, auditLog, secrets, webhooks } =
    evertick
  const app = contextOf(evertick)
  return {
    jobs,
    executions,
    leader,
    leases,
    locks,
    queues,
    nodes,
    alerts,
    auditLog,
    secrets,
    webhooks,
    audit: (options) => evertick.audit(options),
    metrics: () => evertick.metrics(),
    why: (reference) => evertick.why(reference),
    signal: (...signal) => evertick.signal(...signal),
    tokens: {
      createToken: async (options) => await (await access()).createToken(options),
      listTokens: async () => await (await access()).listTokens(),
      revoke: async (...call) => await (await access()).revoke(...call),
    },
    exportCrontab: (options) => exportCrontab(app, options),
    apply: (request, by) => applyList(app, request, by),
    exportJobs: (names) => exportJobs(app, names === undefined ? { limit: 1_000_000 } : { names }),
    follow: (tell, signal) => followChanges(app, tell, signal),
  }
}
