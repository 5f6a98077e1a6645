/** The options of a `LeaderLogCoordinator`: checked once, into what its parts work with. */
import { hostname } from 'node:os'
import { systemClock } from '../../app/cluster/system-clock.ts'
import { refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import { newId } from '../../app/ids.ts'
import type { DistributedLock } from '../../app/locks/distributed-lock.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Clock } from '../../engine/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import type { LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'
import type { QueueEntry } from './once-only.ts'

/** A task that was due: its id and its time, beside whatever else `enqueue` needs. */
export interface MissedTask {
  readonly taskId: string
  /** The nominal time, always the same for the same tick. */
  readonly scheduleTime: Date
}

export interface MissedTaskRepair {
  readonly term: LeaderTerm
  /** Where this leader began to look: the last instant up to which a leader certainly handled everything. */
  readonly from: Date
  readonly to: Date
  /** The end of the term before by the document's rule, with the grace; null where this was a second look. */
  readonly previousEffectiveEnd: Date | null
  /** Tasks that were due in that time. */
  readonly found: number
  /** Those of them that nobody had enqueued. */
  readonly enqueued: number
}

export interface LeaderLogCoordinatorOptions<Task extends MissedTask = MissedTask> {
  /** Who leads, in the log. @default host, process id and a random part */
  readonly instanceId?: string
  /** A database of Evertick's for log, locks and marks, without a node that schedules. Needed unless `model` is given. */
  readonly database?: string
  /** Your own log, instead of the database's. */
  readonly model?: SchedulerLeaderLogModel
  /** The locks beside a `model` of your own. @default locks on `database`, else on `redis` */
  readonly lock?: Pick<DistributedLock, 'acquire'>
  /** `redis://…` for the marks of what was enqueued. @default marks on `database` */
  readonly redis?: string
  /** Stands before every name on Redis. @default 'evertick' */
  readonly prefix?: string
  /** How often the leader says that it lives. @default '30s' */
  readonly heartbeat?: Duration
  /** How long leadership lasts without a heartbeat; at least two of them. @default three heartbeats */
  readonly lease?: Duration
  /** A crashed term is reported as ended this long after its last heartbeat. It hides no task. @default '5m' */
  readonly grace?: Duration
  /** How long it is remembered that a task was enqueued. @default '7d' */
  readonly dedupeTtl?: Duration
  /** Every task that was due from `from` to `to`, both included, whether or not it was enqueued. */
  findMissedTasks(from: Date, to: Date): readonly Task[] | Promise<readonly Task[]>
  /** Puts a missed task into your queue. */
  enqueue(task: Task, entry: QueueEntry): unknown
  readonly onElected?: (term: LeaderTerm) => unknown
  readonly onLost?: (term: LeaderTerm) => unknown
  /** What was missed before the term is enqueued. */
  readonly onRepaired?: (repair: MissedTaskRepair) => unknown
  /** @default the database's time, else the host's clock */
  readonly clock?: Clock
  /** @default warnings and errors to standard error */
  readonly logger?: Logger
}

/** Where things are kept, as the options say. */
export interface CoordinatorPlaces {
  readonly database: string | null
  readonly redis: { readonly url: string; readonly prefix: string } | null
  readonly model: SchedulerLeaderLogModel | null
  readonly lock: Pick<DistributedLock, 'acquire'> | null
  readonly clock: Clock | null
}

export interface CoordinatorConfig<Task extends MissedTask = MissedTask> {
  readonly instanceId: string
  readonly heartbeatMs: number
  readonly leaseMs: number
  readonly graceMs: number
  readonly dedupeTtlMs: number
  readonly findMissedTasks: LeaderLogCoordinatorOptions<Task>['findMissedTasks']
  readonly enqueue: LeaderLogCoordinatorOptions<Task>['enqueue']
  readonly onElected: (term: LeaderTerm) => void
  readonly onLost: (term: LeaderTerm) => void
  readonly onRepaired: (repair: MissedTaskRepair) => void
  readonly clock: Clock
  readonly logger: Logger
}

const names = [
  'instanceId',
  'database',
  'model',
  'lock',
  'redis',
  'prefix',
  'heartbeat',
  'lease',
  'grace',
  'dedupeTtl',
  'findMissedTasks',
  'enqueue',
  'onElected',
  'onLost',
  'onRepaired',
  'clock',
  'logger',
]

export function parseCoordinatorPlaces<Task extends MissedTask>(
  options: LeaderLogCoordinatorOptions<Task>,
): CoordinatorPlaces {
  refuseUnknown(options, names, 'LeaderLogCoordinator')
  const { database = null, model = null, lock = null, redis = null, prefix } = options
  if (database === null && model === null) {
    throw invalid(
      'database',
      'The coordinator has no leader log.',
      'Give a database, or a model of your own.',
    )
  }
  if (lock !== null && model === null) {
    throw invalid('lock', 'On a database the coordinator has its own lock.', 'Leave lock out.')
  }
  if (database === null && redis === null) {
    const next = 'Give redis or database: what was enqueued must be remembered somewhere.'
    throw invalid('redis', 'The coordinator has nowhere to keep its marks.', next)
  }
  if (prefix !== undefined && redis === null) {
    throw invalid('prefix', 'prefix applies to names on Redis only.', 'Give redis, too, or leave it out.')
  }
  return {
    database,
    redis: redis === null ? null : { url: redis, prefix: prefix ?? 'evertick' },
    model,
    lock,
    clock: options.clock ?? null,
  }
}

export function parseCoordinatorConfig<Task extends MissedTask>(
  options: LeaderLogCoordinatorOptions<Task>,
): Omit<CoordinatorConfig<Task>, 'clock'> {
  const { instanceId = `${hostname().slice(0, 150)}:${process.pid}:${newId(systemClock.now()).slice(-6)}` } =
    options
  refuseBadName(instanceId, 'instanceId')
  for (const name of ['findMissedTasks', 'enqueue'] as const) {
    if (typeof options[name] !== 'function') throw invalid(name, `${name} must be a function.`)
  }
  const logger = options.logger ?? stderrLogger
  const heartbeatMs = parseDuration(options.heartbeat ?? '30s', 'heartbeat')
  const leaseMs = parseDuration(options.lease ?? heartbeatMs * 3, 'lease')
  if (heartbeatMs < 100) throw invalid('heartbeat', 'heartbeat must be at least 100ms.')
  if (leaseMs < heartbeatMs * 2) {
    const next = 'Renew at least twice per lease, or one lost heartbeat ends the term.'
    throw invalid('lease', 'lease must be at least two heartbeats.', next)
  }
  const dedupeTtlMs = parseDuration(options.dedupeTtl ?? '7d', 'dedupeTtl')
  if (dedupeTtlMs < leaseMs + heartbeatMs * 2) {
    const next = 'Make it longer than the longest outage after which nothing may be enqueued twice.'
    throw invalid('dedupeTtl', 'dedupeTtl must be at least a lease and two heartbeats.', next)
  }
  return {
    instanceId,
    heartbeatMs,
    leaseMs,
    graceMs: parseDuration(options.grace ?? '5m', 'grace'),
    dedupeTtlMs,
    // Called on the options, where a user may have put them as methods.
    findMissedTasks: (from, to) => options.findMissedTasks(from, to),
    enqueue: (task, entry) => options.enqueue(task, entry),
    onElected: listener(options.onElected, logger),
    onLost: listener(options.onLost, logger),
    onRepaired: listener(options.onRepaired, logger),
    logger,
  }
}

/** A listener that throws or rejects is logged, and stops nothing. */
function listener<Event>(
  given: ((event: Event) => unknown) | undefined,
  logger: Logger,
): (event: Event) => void {
  if (given === undefined) return () => {}
  const call = async (event: Event) => void (await given(event))
  return (event) => {
    call(event).catch((error: unknown) => logger.error('A listener of the coordinator threw', { error }))
  }
}

function invalid(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_option', message, { field, ...(next === undefined ? {} : { next }) })
}
