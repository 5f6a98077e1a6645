/** The options of an IntervalScheduler: checked once, into the options of the node behind it. */
import { refuseUnknown } from '../../app/config/call-options.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { EvertickError } from '../../core/error.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Evertick } from '../../evertick.ts'
import type { JobWork } from './job-handler.ts'

export interface IntervalSchedulerOptions {
  /** As for `Evertick.open`. @default EVERTICK_DATABASE_URL, else DATABASE_URL */
  readonly database?: string
  /** A node that is there, instead of a database of its own. */
  readonly evertick?: Evertick
  /** How jobs are done, by the name that `handler` of a job gives. */
  readonly handlers?: Readonly<Record<string, JobWork>>
  /** How all jobs are done that name no handler. */
  readonly execute?: JobWork
  /** How often the database is asked for work of which nothing has told this node. @default '10s' */
  readonly checkInterval?: Duration
  /** How often the leader looks for leases whose time is over. @default '1m' */
  readonly staleLockInterval?: Duration
  /** How often the snapshot of `getMetrics()` is taken. @default '30s' */
  readonly metricsInterval?: Duration
  /** How many jobs run at once on this node. @default 10 */
  readonly concurrency?: number
  /** Whether to bring the schema up to date at first use. @default true on SQLite */
  readonly migrate?: boolean
  /** @default the host's clock */
  readonly clock?: EvertickOptions['clock']
  /** @default warnings and errors to standard error */
  readonly logger?: Logger
}

export interface ParsedOptions {
  readonly node: Evertick | (() => EvertickOptions)
  readonly works: ReadonlyMap<string, JobWork>
  readonly checkMs: number
  readonly metricsMs: number
  readonly logger: Logger
}

/** The handler of `execute`. */
export const executeName = 'interval-scheduler'

const nodeOptions = ['database', 'checkInterval', 'staleLockInterval', 'concurrency', 'migrate', 'clock']
const names = [...nodeOptions, 'evertick', 'handlers', 'execute', 'metricsInterval', 'logger']

export function parseSchedulerOptions(options: IntervalSchedulerOptions): ParsedOptions {
  refuseUnknown(options, names, 'IntervalScheduler')
  const { evertick, logger } = options
  if (evertick !== undefined) refuseNodeOptions(options)
  const checkMs = interval(options.checkInterval ?? '10s', 'checkInterval')
  const staleMs = interval(options.staleLockInterval ?? '1m', 'staleLockInterval')
  const { database, concurrency = 10, migrate, clock } = options
  return {
    node:
      evertick ??
      (() => ({
        ...(database === undefined ? {} : { database }),
        ...(migrate === undefined ? {} : { migrate }),
        ...(clock === undefined ? {} : { clock }),
        ...(logger === undefined ? {} : { logger }),
        worker: { poll: checkMs },
        leader: { sweep: staleMs },
        queues: { default: { concurrency } },
      })),
    works: worksOf(options),
    checkMs,
    metricsMs: interval(options.metricsInterval ?? '30s', 'metricsInterval'),
    logger: logger ?? stderrLogger,
  }
}

function worksOf({ handlers = {}, execute }: IntervalSchedulerOptions): ReadonlyMap<string, JobWork> {
  const works = new Map(Object.entries(handlers))
  if (execute !== undefined) works.set(executeName, execute)
  for (const [name, work] of works) {
    if (typeof work === 'function') continue
    throw new EvertickError('invalid_option', `The handler "${name}" is not a function.`, {
      field: 'handlers',
    })
  }
  return works
}

/** No option is accepted and then ignored: a node that was given has its own. */
function refuseNodeOptions(options: IntervalSchedulerOptions): void {
  for (const field of nodeOptions) {
    if (!(field in options)) continue
    throw new EvertickError('invalid_option', `${field} cannot be combined with evertick.`, {
      field,
      next: 'Give it to Evertick.open: worker.poll, leader.sweep and queues are what these intervals set.',
    })
  }
}

function interval(value: Duration, field: string): number {
  const ms = parseDuration(value, field)
  if (ms >= 100) return ms
  throw new EvertickError('invalid_option', `${field} must be at least 100ms.`, { field })
}
