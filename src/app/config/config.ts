/** From options to a frozen configuration: durations are parsed, defaults filled in, and what has no meaning is refused. */
import { EvertickError } from '../../core/error.ts'
import { usualPayloadBytes } from '../../core/payload.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Role, usualRoles } from '../../engine/node.ts'
import { allowedVariables } from '../../handlers/command-environment.ts'
import { MailServer } from '../../outbound/mail.ts'
import { defaultPool, type PoolOptions } from '../../store/open-store.ts'
import { isPlainPath } from '../handler/handler-shape.ts'
import { type ApiConfig, apiConfig } from './api-config.ts'
import {
  allowedCommandsFromEnvironment,
  allowedVariablesFromEnvironment,
  databaseFromEnvironment,
  logLevelFromEnvironment,
  privateHostsFromEnvironment,
  redisFromEnvironment,
  smtpFromEnvironment,
} from './environment.ts'
import { type AnyJob, checkedOptions, type EvertickOptions } from './options.ts'

export interface Config {
  readonly database: string
  readonly redis: string | undefined
  readonly pool: PoolOptions
  readonly jobs: readonly AnyJob[]
  readonly roles: readonly Role[]
  readonly queues: Readonly<Record<string, { readonly concurrency: number }>>
  readonly worker: WorkerConfig
  readonly leader: {
    readonly leaseMs: number
    readonly heartbeatMs: number
    readonly graceMs: number
    readonly sweepMs: number
  }
  readonly catchUpEveryMs: number
  /** null: for ever. */
  readonly auditLogMs: number | null
  /** The folder for what retention removes; null for none. */
  readonly archive: string | null
  readonly maxPayloadBytes: number
  readonly timezone: string
  readonly clock: Clock | null
  readonly logger: Logger | null
  /** null: where there is a provider. */
  readonly tracing: boolean | null
  readonly migrate: boolean
  readonly nodeId: string | null
  readonly allowPrivateHosts: readonly string[]
  /** null: this node sends no mail. */
  readonly smtp: MailServer | null
  readonly allowCommands: readonly string[]
  readonly allowCommandEnv: readonly string[]
  /** null where this node has no API. */
  readonly api: ApiConfig | null
}

export interface WorkerConfig {
  readonly leaseMs: number
  readonly extendAt: number
  /** null: as often as the clock allows. */
  readonly pollMs: number | null
}

export function parseOptions(options: EvertickOptions): Config {
  const given = checkedOptions(options)
  const ms = (value: string | number | undefined, field: string, fallback: number) =>
    value === undefined ? fallback : parseDuration(value, field)
  const leader = {
    leaseMs: ms(given.leader?.lease, 'leader.lease', 10_000),
    heartbeatMs: ms(given.leader?.heartbeat, 'leader.heartbeat', 3_000),
    graceMs: ms(given.leader?.grace, 'leader.grace', 300_000),
    sweepMs: ms(given.leader?.sweep, 'leader.sweep', 4_000),
  }
  if (leader.heartbeatMs * 2 > leader.leaseMs) {
    throw new EvertickError('invalid_config', 'leader.heartbeat must be at most half of leader.lease.', {
      field: 'leader.heartbeat',
      next: 'Renew at least twice per lease, or one lost renewal ends the term.',
    })
  }
  if (leader.sweepMs < 100) {
    throw new EvertickError('invalid_config', 'leader.sweep must be at least 100ms.', {
      field: 'leader.sweep',
    })
  }
  // A misspelt level is refused at once, not with the first warning.
  if (options.logger === undefined) logLevelFromEnvironment()
  const database = given.database ?? databaseFromEnvironment()
  refuseUnused(database, options)
  return Object.freeze({
    database,
    redis: database.startsWith('sqlite:') ? undefined : (given.redis ?? redisFromEnvironment()),
    pool: poolConfig(given.pool ?? {}),
    jobs: options.jobs ?? [],
    roles: given.roles ?? usualRoles,
    api: (given.roles ?? usualRoles).includes('api') ? apiConfig(options.api) : null,
    queues: given.queues ?? { default: { concurrency: 10 } },
    worker: workerConfig(given.worker ?? {}),
    leader,
    catchUpEveryMs: 1_000 / (given.catchUpRate ?? 10),
    auditLogMs: auditLogMs(given.auditLog?.retention),
    archive: given.archive ?? null,
    maxPayloadBytes: given.maxPayloadBytes ?? usualPayloadBytes,
    timezone: parseTimezone(given.timezone ?? 'UTC', 'timezone'),
    clock: options.clock ?? null,
    logger: options.logger ?? null,
    tracing: given.tracing ?? null,
    migrate: given.migrate ?? database.startsWith('sqlite:'),
    nodeId: given.nodeId ?? null,
    allowPrivateHosts: given.allowPrivateHosts ?? privateHostsFromEnvironment(),
    smtp: mailServer(given.smtp ?? smtpFromEnvironment()),
    allowCommands: allowedPaths(given.allowCommands ?? allowedCommandsFromEnvironment()),
    allowCommandEnv: allowedVariables(given.allowCommandEnv ?? allowedVariablesFromEnvironment()),
  })
}

function mailServer(url: string | undefined): MailServer | null {
  return url === undefined ? null : new MailServer(url)
}

function poolConfig(given: {
  readonly max?: number | undefined
  readonly direct?: string | undefined
  readonly transactionTimeout?: string | number | undefined
}): PoolOptions {
  const field = 'pool.transactionTimeout'
  const transactionMs =
    given.transactionTimeout === undefined
      ? defaultPool.transactionMs
      : parseDuration(given.transactionTimeout, field)
  if (transactionMs < 1_000) {
    throw new EvertickError('invalid_config', `${field} must be at least 1s.`, { field })
  }
  return { max: given.max ?? defaultPool.max, direct: given.direct, transactionMs }
}

function workerConfig(given: {
  readonly lease?: string | number | undefined
  readonly extendAt?: number | undefined
  readonly poll?: string | number | undefined
}): WorkerConfig {
  const leaseMs = parseDuration(given.lease ?? '30s', 'worker.lease')
  const pollMs = given.poll === undefined ? null : parseDuration(given.poll, 'worker.poll')
  const tooShort = (field: string, least: string) =>
    new EvertickError('invalid_config', `${field} must be at least ${least}.`, { field })
  if (leaseMs < 1_000) throw tooShort('worker.lease', '1s')
  if (pollMs !== null && pollMs < 10) throw tooShort('worker.poll', '10ms')
  return { leaseMs, extendAt: given.extendAt ?? 0.5, pollMs }
}

function auditLogMs(retention: string | number | undefined): number | null {
  if (retention === undefined) return null
  const ms = parseDuration(retention, 'auditLog.retention')
  if (ms >= 86_400_000) return ms
  throw new EvertickError('invalid_config', 'auditLog.retention must be at least 1d.', {
    field: 'auditLog.retention',
  })
}

/** A job must name a command by exactly this path. */
function allowedPaths(paths: readonly string[]): readonly string[] {
  const wrong = paths.find((path) => !isPlainPath(path))
  if (wrong === undefined) return paths
  throw new EvertickError(
    'invalid_config',
    `${JSON.stringify(wrong)} is not the absolute path of a program.`,
    {
      field: 'allowCommands',
      next: 'Write absolute paths, by colons: EVERTICK_ALLOW_COMMANDS=/usr/bin/rsync:/opt/backup.',
    },
  )
}

/** Nothing is accepted and ignored: these mean something on a server, or with a role, only. */
function refuseUnused(database: string, { redis, pool, api, roles, allowCommands }: EvertickOptions): void {
  const refuse = (field: string, where: string, next = 'Leave it out, or name another database.') => {
    throw new EvertickError('invalid_config', `${field} has no meaning ${where}.`, { field, next })
  }
  const onSqlite = database.startsWith('sqlite:')
  if (onSqlite && redis !== undefined) refuse('redis', 'on SQLite: processes on one file see each other')
  if (onSqlite && pool !== undefined) refuse('pool', 'on SQLite')
  if (pool?.direct !== undefined && !/^postgres(?:ql)?:/.test(database)) {
    refuse('pool.direct', 'beside PostgreSQL')
  }
  if (api !== undefined && roles?.includes('api') !== true) {
    refuse('api', 'without the role api', "Leave it out, or add 'api' to the roles.")
  }
  if (allowCommands !== undefined && roles?.includes('worker') === false) {
    refuse('allowCommands', 'without the role worker', "Leave it out, or add 'worker' to the roles.")
  }
}
