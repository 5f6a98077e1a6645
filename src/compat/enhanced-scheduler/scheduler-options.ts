/** The options of an EnhancedScheduler: checked once, the environment's share filled in. */
import { refuseUnknown } from '../../app/config/call-options.ts'
import {
  databaseFromEnvironment,
  maxWorkersFromEnvironment,
  redisFromHostEnvironment,
} from '../../app/config/environment.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { EvertickError } from '../../core/error.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import type { SyncOptions } from './api-source.ts'
import { type ScheduleRecord, scheduleQueue } from './schedule-record.ts'
import type { ScheduleWatcherOptions } from './schedule-watcher.ts'
import { type Seconds, secondsToMs } from './seconds.ts'

/** Does one run of a schedule. What it returns is kept; a `scanId` in it links the run to its result. */
export type ExecuteSchedule = (schedule: ScheduleRecord, context: JobContext) => unknown

export interface EnhancedSchedulerOptions
  extends Pick<
      EvertickOptions,
      | 'database'
      | 'redis'
      | 'pool'
      | 'timezone'
      | 'migrate'
      | 'clock'
      | 'logger'
      | 'nodeId'
      | 'worker'
      | 'leader'
    >,
    Pick<ScheduleWatcherOptions, 'onAdded' | 'onModified' | 'onDeleted'> {
  /** How many schedules run here at once. @default MAX_WORKERS, else 5 */
  readonly maxWorkers?: number
  /** Whether to bring the schedules to what an API answers. @default whether `fetchSchedules` or `apiUrl` is given */
  readonly enableApiSync?: boolean
  /** In seconds, or as a duration. @default 300 */
  readonly apiSyncInterval?: Seconds
  /** In seconds, or as a duration. @default 60 */
  readonly scheduleCheckInterval?: Seconds
  /** Without it this process schedules, and others run. */
  readonly execute?: ExecuteSchedule
  /** Gets the API's answer. */
  readonly fetchSchedules?: (signal?: AbortSignal) => unknown
  /** Or where to get it. */
  readonly apiUrl?: string | URL
  /** For the `apiUrl`, and for what may be removed. */
  readonly apiSync?: Pick<SyncOptions, 'source' | 'maxRemovals' | 'headers' | 'allowPrivateHosts'>
}

const engineNames = [
  'database',
  'redis',
  'pool',
  'timezone',
  'migrate',
  'clock',
  'logger',
  'nodeId',
  'worker',
  'leader',
] as const
const ownNames = [
  'maxWorkers',
  'enableApiSync',
  'apiSyncInterval',
  'scheduleCheckInterval',
  'execute',
  'fetchSchedules',
  'apiUrl',
  'apiSync',
  'onAdded',
  'onModified',
  'onDeleted',
]
const apiSyncNames = ['source', 'maxRemovals', 'headers', 'allowPrivateHosts']

/** The sync stands in line with nobody. */
export const syncQueue = 'schedule-sync'

/** What can be wrong without a look at the environment is wrong at once. */
export function checkOptions(options: EnhancedSchedulerOptions): void {
  refuseUnknown(options, [...engineNames, ...ownNames], 'EnhancedScheduler')
  refuseUnknown(options.apiSync ?? {}, apiSyncNames, 'apiSync')
  secondsToMs(options.apiSyncInterval ?? 300, 'apiSyncInterval')
  secondsToMs(options.scheduleCheckInterval ?? 60, 'scheduleCheckInterval')
  const { maxWorkers, enableApiSync, fetchSchedules, apiUrl } = options
  if (maxWorkers !== undefined && !(Number.isSafeInteger(maxWorkers) && maxWorkers >= 1)) {
    throw refused(
      'maxWorkers',
      `maxWorkers is ${String(maxWorkers)}; it must be a whole number of at least 1.`,
    )
  }
  if (fetchSchedules !== undefined && apiUrl !== undefined) {
    throw refused('apiUrl', 'Schedules come from fetchSchedules or from apiUrl, not from both.')
  }
  const named = fetchSchedules !== undefined || apiUrl !== undefined
  if (enableApiSync === true && !named) {
    throw refused(
      'enableApiSync',
      'enableApiSync needs fetchSchedules or apiUrl: there is nothing to sync from.',
    )
  }
}

/** The API to sync from, or null. */
export function syncedApi({ enableApiSync = true, fetchSchedules, apiUrl }: EnhancedSchedulerOptions) {
  return enableApiSync ? (fetchSchedules ?? apiUrl ?? null) : null
}

/** For the node, at its first use: only then is the environment read. */
export function engineOptions(options: EnhancedSchedulerOptions): EvertickOptions {
  const database = options.database ?? databaseFromEnvironment()
  const redis = redisOf(options, database)
  const { execute, maxWorkers = maxWorkersFromEnvironment() } = options
  const given = Object.fromEntries(
    engineNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  ) as Pick<EnhancedSchedulerOptions, (typeof engineNames)[number]>
  const syncs = syncedApi(options) !== null
  return {
    ...given,
    database,
    ...(redis === undefined ? {} : { redis }),
    // Without anything to run, a worker would only take its handlers' jobs from those who can.
    roles: execute === undefined && !syncs ? ['scheduler'] : ['scheduler', 'worker'],
    queues: { [scheduleQueue]: { concurrency: maxWorkers }, [syncQueue]: { concurrency: 1 } },
  }
}

/** The environment's Redis is for servers: on SQLite, processes see each other by the file. */
export function redisOf(
  { redis, database }: Pick<EnhancedSchedulerOptions, 'redis' | 'database'>,
  url = database ?? databaseFromEnvironment(),
): string | undefined {
  return redis ?? (url.startsWith('sqlite:') ? undefined : redisFromHostEnvironment())
}

function refused(field: string, message: string): EvertickError {
  return new EvertickError('invalid_option', message, {
    field,
    next: 'See docs/guide/enhanced-scheduler.md.',
  })
}
