/** A job's limits as they are written: the name of one that the cluster shares, or numbers of its own. */
import { EvertickError } from '../error.ts'
import type { JobLimit, LimitNumbers } from '../execution/limit.ts'
import { durationText, parseDuration } from '../schedule/duration.ts'
import type { Duration } from '../schedule/schedule.ts'
import type { ItemForm } from './item-forms.ts'

export interface LimitRate {
  /** How many may start. */
  readonly count: number
  /** Within any span of this length. */
  readonly per: Duration
}

/** The numbers of a limit: at least one of the two. */
export interface LimitOptions {
  /** How many may run at once. */
  readonly concurrency?: number
  readonly rate?: LimitRate
}

/** A limit of the job's own. */
export interface JobLimitOptions extends LimitOptions {
  /** Counts for each value by itself. @default all executions of the job together */
  readonly by?: string
}

/** A name is that of a limit which the cluster shares. */
export type JobLimitOption = string | JobLimitOptions

/** No number of a limit is larger. */
export const mostOfLimit = 100_000
/** No rate is measured over longer. */
export const longestPerMs = 31 * 86_400_000

/** What a limit or a fairness goes by. */
export const keyPath = /^(?:input|metadata)(?:\.[^.\s:@]{1,100}){1,10}$/
export const limitName = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/

export const limitForm: ItemForm<JobLimitOption, JobLimit, JobLimitOption> = {
  types: {
    file: './limit-form.ts',
    written: 'JobLimitOption',
    stored: 'StoredLimit',
    shown: 'JobLimitOption',
  },
  examples: ['openai', 'input.customer:2', 'input.customer@10/1m', ':5@100/1h'],
  stored(item, field) {
    if (typeof item !== 'string') return { by: item.by ?? null, ...limitNumbers(item, field) }
    return limitOf(item.trim(), field)
  },
  shown(limit) {
    if (typeof limit === 'string') return limit
    const { by, ...numbers } = limit
    return { ...(by === null ? {} : { by }), ...limitOptions(numbers) }
  },
  text(item) {
    if (typeof item === 'string') return item.trim()
    const { by = '', concurrency, rate } = item
    const most = concurrency === undefined ? '' : `:${concurrency}`
    return `${by}${most}${rate === undefined ? '' : `@${rate.count}/${rate.per}`}`
  },
}

/** As it is stored; the generated types name it. */
export type StoredLimit = JobLimit

/** Throws where there is no number at all, or one that no limit has. */
export function limitNumbers({ concurrency, rate }: LimitOptions, field: string): LimitNumbers {
  if (concurrency === undefined && rate === undefined)
    throw refused(field, 'has neither concurrency nor rate')
  if (concurrency !== undefined) refuseNumber(concurrency, `${field}.concurrency`)
  if (rate === undefined) return { concurrency: concurrency ?? null, rate: null }
  refuseNumber(rate.count, `${field}.rate.count`)
  const perMs = parseDuration(rate.per, `${field}.rate.per`)
  if (perMs < 1 || perMs > longestPerMs)
    throw refused(
      `${field}.rate.per`,
      `is ${durationText(perMs)}; it may be 1ms to ${durationText(longestPerMs)}`,
    )
  return { concurrency: concurrency ?? null, rate: { count: rate.count, perMs } }
}

export function limitOptions({ concurrency, rate }: LimitNumbers): LimitOptions {
  return {
    ...(concurrency === null ? {} : { concurrency }),
    ...(rate === null ? {} : { rate: { count: rate.count, per: durationText(rate.perMs) } }),
  }
}

const ownText = /^(?<by>[^:@]*)(?::(?<concurrency>\d{1,9}))?(?:@(?<count>\d{1,9})\/(?<per>.+))?$/su

function limitOf(text: string, field: string): JobLimit {
  if (limitName.test(text)) return text
  const { by = '', concurrency, count, per } = ownText.exec(text)?.groups ?? {}
  if (concurrency === undefined && count === undefined)
    throw refused(field, `cannot be read: ${JSON.stringify(text)}`)
  if (by !== '' && !keyPath.test(by)) throw refused(field, `counts by "${by}"`)
  const numbers = limitNumbers(
    {
      ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
      ...(count === undefined ? {} : { rate: { count: Number(count), per: (per ?? '') as Duration } }),
    },
    field,
  )
  return { by: by === '' ? null : by, ...numbers }
}

function refuseNumber(value: number, field: string): void {
  if (Number.isInteger(value) && value >= 1 && value <= mostOfLimit) return
  throw refused(field, `is ${value}; it must be a whole number from 1 to ${mostOfLimit.toLocaleString('en')}`)
}

function refused(field: string, what: string): EvertickError {
  return new EvertickError('invalid_option', `${field} ${what}.`, {
    field,
    next: 'Name a limit that is shared, such as "openai", or give numbers: { by: "input.customer", concurrency: 2, rate: { count: 10, per: "1m" } }.',
  })
}
