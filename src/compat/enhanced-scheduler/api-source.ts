/** Where schedules come from that another system keeps, and how its entries become jobs. */
import { privateHostsFromEnvironment } from '../../app/config/environment.ts'
import type { SourcedJob } from '../../app/source/sync-source.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import { fetchSchedules } from '../../sources/api/fetch-schedules.ts'
import { readAnswer, type ScheduleAnswer } from '../../sources/api/schedule-answer.ts'
import type { ScheduleEntry } from '../../sources/api/schedule-entry.ts'
import { newOptions, type ScheduleFrequency, scheduleHandler } from './schedule-record.ts'

/** The answer itself, a function that gets it, or a URL to ask. */
export type ApiSource = readonly unknown[] | ((signal?: AbortSignal) => unknown) | string | URL

export interface SyncOptions {
  /** Names the source: it manages what it wrote, and nothing else. @default 'api' */
  readonly source?: string
  /** More schedules than this never go at once. @default half of those known */
  readonly maxRemovals?: number
  /** Only says what would be done. @default false */
  readonly dryRun?: boolean
  /** Sent to the URL, for example for its token. */
  readonly headers?: Readonly<Record<string, string>>
  /** Hosts in a private network that may be asked. @default EVERTICK_ALLOW_PRIVATE_HOSTS */
  readonly allowPrivateHosts?: readonly string[]
  readonly signal?: AbortSignal
}

export const syncOptionNames = [
  'source',
  'maxRemovals',
  'dryRun',
  'headers',
  'allowPrivateHosts',
  'signal',
] as const satisfies readonly (keyof SyncOptions)[]

export async function answerOf(api: ApiSource, options: SyncOptions): Promise<ScheduleAnswer> {
  const { headers, signal, allowPrivateHosts = privateHostsFromEnvironment() } = options
  if (typeof api === 'function') return readAnswer(await api(signal))
  if (typeof api !== 'string' && !(api instanceof URL)) return readAnswer(api)
  const { answer } = await fetchSchedules({
    url: api,
    allowPrivateHosts,
    ...(headers === undefined ? {} : { headers }),
    ...(signal === undefined ? {} : { signal }),
  })
  return readAnswer(answer)
}

/** Throws where the entry makes no schedule; the engine's own checks follow when it is written. */
export function sourcedJob(entry: ScheduleEntry & { readonly index: number }): SourcedJob {
  const { index, scheduleId, enabled, domain, domainConfigId, profile, metadata } = entry
  const { options, input } = newOptions({
    domain,
    domainConfigId,
    profile,
    metadata,
    ...(entry.cron === null ? {} : { cron: entry.cron }),
    ...(entry.every === null ? {} : { every: entry.every as Duration }),
    ...(entry.frequency === null ? {} : { frequency: entry.frequency as ScheduleFrequency }),
    ...(entry.timezone === null ? {} : { timezone: entry.timezone }),
  })
  const job = { ...options, name: scheduleId, handler: scheduleHandler, input, paused: !enabled }
  return { index, name: scheduleId, job }
}
