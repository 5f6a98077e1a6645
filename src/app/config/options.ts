/** The options of `Evertick.open` and of `evertick.config.ts`, as their user writes them. */
import { z } from 'zod'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import { type Role, roles } from '../../engine/node.ts'
import type { DefinedJob, Run } from '../job/define-job.ts'
import type { ApiOptions } from './api-config.ts'
import { checked } from './checked.ts'

/** A job of a list, whatever its input: a schema gives its types out, a handler takes them in. */
export type AnyJob = Pick<DefinedJob, 'name' | 'options' | 'schema' | 'resultSchema' | 'isolated'> & {
  readonly run: Run<never> | null
}

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
  /** A folder for what retention removes, in compressed files by day; for the role `scheduler`. @default none */
  readonly archive?: string
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
  /** Where mails of webhooks go out: `smtps://user:password@host?from=me@example.com`. @default EVERTICK_SMTP_URL, else none */
  readonly smtp?: string
  /** Absolute paths of the programs that jobs may run here; for the role `worker`. @default EVERTICK_ALLOW_COMMANDS, else none */
  readonly allowCommands?: readonly string[]
  /** Names of variables that command jobs may set; checked where a job is made and where it runs. @default EVERTICK_ALLOW_COMMAND_ENV, else none */
  readonly allowCommandEnv?: readonly string[]
  /** @default host, process id and a random part */
  readonly nodeId?: string
}

const duration = z.union([z.number(), z.string()]).optional()
const object = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object')

const shape = z.strictObject({
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
  archive: z.string().min(1).optional(),
  maxPayloadBytes: z.int().min(1_024).max(16_777_216).optional(),
  timezone: z.string().optional(),
  clock: object.optional(),
  logger: object.optional(),
  tracing: z.boolean().optional(),
  migrate: z.boolean().optional(),
  nodeId: z.string().min(1).max(200).optional(),
  api: object.optional(),
  allowPrivateHosts: z.array(z.string().min(1)).optional(),
  smtp: z.string().min(1).optional(),
  allowCommands: z.array(z.string()).optional(),
  allowCommandEnv: z.array(z.string()).optional(),
})
const names = [
  ...Object.keys(shape.shape),
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
  checkedOptions(options)
  return options
}

/** Unknown keys and values of another type are refused; what the values mean is for `parseOptions`. */
export function checkedOptions(options: EvertickOptions): z.output<typeof shape> {
  return checked(shape, options, 'invalid_config', 'The configuration', names)
}
