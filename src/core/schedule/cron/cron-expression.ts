import { EvertickError } from '../../error.ts'
import { ownValue } from '../../table-keys.ts'
import { didYouMean } from '../did-you-mean.ts'
import { parseDayOfMonth, parseValues, parseWeekday } from './cron-day-fields.ts'
import { type DayRule, everMatches } from './cron-days.ts'
import { type CronPart, cronError } from './cron-error.ts'
import { cronFields } from './cron-field.ts'

/** A cron text, read: values per field, sorted. The dialect is written down in docs/reference/cron.md. */
export interface CronExpression {
  /** Second, minute, hour, day of month, month, weekday, as written; the second is `0` where it was left out. */
  readonly fields: readonly [string, string, string, string, string, string]
  readonly seconds: readonly number[]
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
  readonly days: DayRule
  /** Minute or hour starts with `*`, or with `0/n` for it: each real instant counts, so none in a gap and both in a fold. */
  readonly realInstants: boolean
  /** Some field holds `H`: without a key the values are all that it could become, good for checking only. */
  readonly hashed: boolean
}

export const cronMaxLength = 256

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** Reads a cron text in linear time, or says which field is wrong. `hashKey`, the job's name, decides `H`. */
export function parseCron(cron: unknown, hashKey?: string): CronExpression {
  if (typeof cron !== 'string') throw refused('cron must be a string')
  if (cron.length > cronMaxLength) {
    throw refused(`cron has ${cron.length} characters; at most ${cronMaxLength} are allowed`)
  }
  const parts = partsOf(cron.trim().startsWith('@') ? expandNickname(cron.trim()) : cron)
  const [second, minute, hour, day, month, weekday] = parts
  const seed = (field: string) => (hashKey === undefined ? undefined : `${hashKey}\0${field}`)
  const days: DayRule = {
    ...parseDayOfMonth(day, seed('day')),
    months: parseValues(month, cronFields.month, seed('month')).reduce((mask, m) => mask | (1 << (m - 1)), 0),
    ...parseWeekday(weekday, seed('weekday')),
  }
  const expression: CronExpression = {
    fields: [second.text, minute.text, hour.text, day.text, month.text, weekday.text],
    seconds: parseValues(second, cronFields.second, seed('second')),
    minutes: parseValues(minute, cronFields.minute, seed('minute')),
    hours: parseValues(hour, cronFields.hour, seed('hour')),
    days,
    realInstants: [minute, hour].some(({ text }) => /^(?:\*|0+\/)/.test(text)),
    hashed: parts.some(isHashed),
  }
  if (!everMatches(days)) throw impossible(day, month, weekday)
  return expression
}

type SixParts = readonly [CronPart, CronPart, CronPart, CronPart, CronPart, CronPart]

function partsOf(cron: string): SixParts {
  const parts: CronPart[] = []
  for (const match of cron.matchAll(/[^ \t\r\n]+/g)) {
    parts.push({ expression: cron, text: match[0], at: match.index })
  }
  const [first] = parts
  if (first !== undefined && /^(CRON_)?TZ=/i.test(first.text)) {
    const next = 'Give the zone as `timezone` beside `cron`.'
    throw cronError('cron', first, 'sets a time zone inside the expression', next)
  }
  if (parts.length === 5) parts.unshift({ expression: cron, text: '0', at: 0 })
  if (!areSix(parts)) {
    const why = parts.length === 7 ? '; a year field is not part of the dialect' : ''
    throw refused(`cron has ${count(parts.length)}, not 5 or 6${why}: ${JSON.stringify(cron)}`)
  }
  return parts
}

function areSix(parts: readonly CronPart[]): parts is SixParts {
  return parts.length === 6
}

function expandNickname(text: string): string {
  const name = text.toLowerCase()
  const expanded = ownValue(nicknames, name)
  if (expanded !== undefined) return expanded
  if (name === '@reboot') {
    throw refused(
      '"@reboot" is not a point in time, so it has no ticks',
      'Enqueue the job where your process starts, or give it a time.',
    )
  }
  if (name.startsWith('@every')) {
    throw refused(`${JSON.stringify(text)} is not cron`, "Write { every: '5m' } instead of a cron.")
  }
  const near = didYouMean(name, Object.keys(nicknames))
  const hint = near === undefined ? '' : `; did you mean ${near}?`
  throw refused(
    `${JSON.stringify(text)} is not a nickname${hint}`,
    `Use one of ${Object.keys(nicknames).join(', ')}.`,
  )
}

/** `H` also ends THU and MARCH: only a leading one counts. */
function isHashed(part: CronPart): boolean {
  return part.text
    .replace(/^\+/, '')
    .split(',')
    .some((element) => /^H($|[(/])/i.test(element))
}

function impossible(day: CronPart, month: CronPart, weekday: CronPart): EvertickError {
  const what =
    weekday.text === '*' || weekday.text === '?'
      ? `never comes in month ${JSON.stringify(month.text)}`
      : `with month ${JSON.stringify(month.text)} and weekday ${JSON.stringify(weekday.text)} never comes`
  return cronError(
    cronFields.day.name,
    day,
    what,
    'Choose a date that exists; L is the last day of any month.',
  )
}

function count(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`
}

function refused(message: string, next = 'See docs/reference/cron.md for the dialect.'): EvertickError {
  return new EvertickError('invalid_cron', message, { field: 'cron', next })
}
