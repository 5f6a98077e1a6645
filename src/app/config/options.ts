/** The options of `Evertick.open` and of `evertick.config.ts`: checked once, into a frozen configuration. */
import { z } from 'zod'
import { EvertickError } from '../../core/error.ts'
import { usualPayloadBytes } from '../../core/payload.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { parseTimezone } from '../../core/schedule/timezone.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Role, roles, usualRoles } from '../../engine/node.ts'
import { allowedVariables } from '../../handlers/command-environment.ts'
import { defaultPool, type PoolOptions } from '../../store/open-store.ts'
import type { DefinedJob, Run } from '../job/define-job.ts'
import { isPlainPath } from '../job/handler-options.ts'
import { type ApiConfig, type ApiOptions, apiConfig } from './api-config.ts'
import { checked } from './checked.ts'
import {
  allowedCommandsFromEnvironment,
  allowedVariablesFromEnvironment,
  databaseFromEnvironment,
  logLevelFromEnvironment,
  privateHostsFromEnvironment,
  redisFromEnvironment,
} from './environment.ts'

/** A job of a list, whatever its input: a schema gives its types out, a handler takes them in. */
export type AnyJob = Pick<DefinedJob, 'name' | 'options' | 'schema'> & { readonly run: Run<never> | null }

export interface EvertickOptions {
  /** `sqlite:path/to/file.db`, `sqlite::memory:`, `postgres://…` or `mysql://…`. @default EVERTICK_DATABASE_URL, else DATABASE_URL, else MYSQL_DB_* */
  readonly database?: string
  /** A Redis that wakes the other nodes at once; losing it costs speed only. @default EVERTICK_REDIS_URL, else none */
  readonly redis?: string
  /** Connections to a database server. */
  readonly pool?: {
    /** How many this node has at most, the one that listens apart. @default 10 */
    readonly max?: number
    /** A PostgreSQL URL past PgBouncer, so that hints arrive: in transaction mode it carries none. */
    readonly direct?: string
    /** How long a `ctx.transaction` may stay open, its slowest statement included; at least a second. @default '1m' */
    readonly transactionTimeout?: Duration
  }
  /** The jobs that this code defines; they are written to the database at start. */
  readonly jobs?: readonly AnyJob[]
  /** What this node does. @default ['scheduler', 'worker'] */
  readonly roles?: readonly Role[]
  /** The queues that this node serves, and how many executions of each at once. @default { default: { concurrency: 10 } } */
  readonly queues?: Readonly<Record<string, { readonly concurrency: number }>>
  readonly worker?: {
    /** How long a worker's right to an execution lasts without renewal. @default '30s' */
    readonly lease?: Duration
    /** The part of a lease after which it is renewed. @default 0.5 */
    readonly extendAt?: number
    /** How often a worker looks for work of which nothing has told it. @default '5s' */
    readonly poll?: Duration
  }
  readonly leader?: {
    /** How long leadership lasts without renewal. @default '10s' */
    readonly lease?: Duration
    /** How often it is renewed. @default '3s' */
    readonly heartbeat?: Duration
    /** Shapes the reported gap only: a crashed term counts as ended this long after its last heartbeat. @default '5m' */
    readonly grace?: Duration
    /** How often the leader looks for leases that have run out, while there are any. @default '4s' */
    readonly sweep?: Duration
  }
  /** Catch-up executions that may start per second, over the whole cluster. @default 10 */
  readonly catchUpRate?: number
  /** How the audit log is kept. */
  readonly auditLog?: {
    /** How long entries of the audit log are kept, at least a day; for the role `scheduler`. @default for ever */
    readonly retention?: Duration
  }
  /** Bytes of an input, a result or metadata as JSON, at most; the same on all nodes. @default 1_048_576 */
  readonly maxPayloadBytes?: number
  /** The zone of crons that name none. @default 'UTC' */
  readonly timezone?: string
  /** @default the host's clock */
  readonly clock?: Clock
  /** Any with `debug`, `info`, `warn` and `error`, such as pino. @default what EVERTICK_LOG_LEVEL says, else warnings and errors, to standard error */
  readonly logger?: Logger
  /** Spans by OpenTelemetry, with `@opentelemetry/api`. @default where a provider was registered before */
  readonly tracing?: boolean
  /** Whether to bring the schema up to date at open. @default true on SQLite */
  readonly migrate?: boolean
  /** Where the API listens, and whom it believes; for the role `api`. */
  readonly api?: ApiOptions
  /** Hosts in a private network that jobs may call, as `host` or `host:port`. @default EVERTICK_ALLOW_PRIVATE_HOSTS, else none */
  readonly allowPrivateHosts?: readonly string[]
  /** Absolute paths of the programs that jobs may run here; for the role `worker`. @default EVERTICK_ALLOW_COMMANDS, else none */
  readonly allowCommands?: readonly string[]
  /** Names of variables that command jobs may set; checked where a job is made and where it runs. @default EVERTICK_ALLOW_COMMAND_ENV, else none */
  readonly allowCommandEnv?: readonly string[]
  /** @default host, process id and a random part */
  readonly nodeId?: string
}

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
  readonly maxPayloadBytes: number
  readonly timezone: string
  readonly clock: Clock | null
  readonly logger: Logger | null
  /** null: where there is a provider. */
  readonly tracing: boolean | null
  readonly migrate: boolean
  readonly nodeId: string | null
  readonly allowPrivateHosts: readonly string[]
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

const duration = z.union([z.number(), z.string()]).optional()
const object = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object')

const shape = {
  database: z.string().min(1).optional(),
  redis: z.string().min(1).optional(),
  pool: z
    .strictObject({
      max: z.int().min(3).max(1_000).optional(),
      direct: z.string().optional(),
      transactionTimeout: duration,
    })
    .optional(),
  jobs: z.array(object).optional(),
  roles: z.array(z.enum(roles)).min(1).optional(),
  queues: z
    .record(z.string().min(1).max(200), z.strictObject({ concurrency: z.int().min(1).max(10_000) }))
    .optional(),
  worker: z
    .strictObject({ lease: duration, extendAt: z.number().min(0.05).max(0.95).optional(), poll: duration })
    .optional(),
  leader: z
    .strictObject({ lease: duration, heartbeat: duration, grace: duration, sweep: duration })
    .optional(),
  catchUpRate: z.number().positive().max(100_000).optional(),
  auditLog: z.strictObject({ retention: duration }).optional(),
  maxPayloadBytes: z.int().min(1_024).max(16_777_216).optional(),
  timezone: z.string().optional(),
  clock: object.optional(),
  logger: object.optional(),
  tracing: z.boolean().optional(),
  migrate: z.boolean().optional(),
  nodeId: z.string().min(1).max(200).optional(),
  api: object.optional(),
  allowPrivateHosts: z.array(z.string().min(1)).optional(),
  allowCommands: z.array(z.string()).optional(),
  allowCommandEnv: z.array(z.string()).optional(),
}
const names = [
  ...Object.keys(shape),
  'lease',
  'heartbeat',
  'grace',
  'concurrency',
  'max',
  'direct',
  'transactionTimeout',
  'extendAt',
  'poll',
  'sweep',
  'retention',
]

/** Types and checks `evertick.config.ts`. */
export function defineConfig(options: Partial<EvertickOptions>): Partial<EvertickOptions> {
  checked(z.strictObject(shape).partial(), options, 'invalid_config', 'The configuration', names)
  return options
}

export function parseOptions(options: EvertickOptions): Config {
  const given = checked(z.strictObject(shape), options, 'invalid_config', 'The configuration', names)
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
    maxPayloadBytes: given.maxPayloadBytes ?? usualPayloadBytes,
    timezone: parseTimezone(given.timezone ?? 'UTC', 'timezone'),
    clock: options.clock ?? null,
    logger: options.logger ?? null,
    tracing: given.tracing ?? null,
    migrate: given.migrate ?? database.startsWith('sqlite:'),
    nodeId: given.nodeId ?? null,
    allowPrivateHosts: given.allowPrivateHosts ?? privateHostsFromEnvironment(),
    allowCommands: allowedPaths(given.allowCommands ?? allowedCommandsFromEnvironment()),
    allowCommandEnv: allowedVariables(given.allowCommandEnv ?? allowedVariablesFromEnvironment()),
  })
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

/** A job names a command by exactly the path that stands here. */
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
