import cronstrue from 'cronstrue'
import { type CronExpression, parseCron } from './cron/cron-expression.ts'
import type { Schedule } from './schedule.ts'
import { parseSchedule } from './schedule-spec.ts'

export interface DescribeOptions {
  /** The zone of a cron that names none. @default 'UTC' */
  readonly timezone?: string
  /** The job's name, which decides `H`. */
  readonly name?: string
}

/** A schedule in words: "At 09:00, Monday through Friday (Europe/Madrid)", "Every 15 minutes". */
export function describeSchedule(schedule: Schedule, { timezone, name }: DescribeOptions = {}): string {
  const spec = parseSchedule(schedule, { createdAt: 0, timezone, hashKey: name })
  switch (spec.kind) {
    case 'cron':
      return `${cronWords(spec.cron, name)} (${spec.timezone})`
    case 'every':
      return `Every ${durationWords(spec.everyMs)}${anchorWords(schedule, spec.anchorAt)}`
    case 'fixed_delay':
      return `${capital(durationWords(spec.delayMs))} after each run ends`
    case 'at':
      return `Once, at ${new Date(spec.at).toISOString()}`
    default:
      return spec satisfies never
  }
}

/** "15 minutes", "1 hour 30 minutes". */
function durationWords(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
    ['second', 1000],
    ['millisecond', 1],
  ] as const
  const parts: string[] = []
  let rest = ms
  for (const [name, size] of units) {
    const amount = Math.floor(rest / size)
    rest -= amount * size
    if (amount > 0) parts.push(`${amount} ${name}${amount === 1 ? '' : 's'}`)
  }
  return parts.join(' ')
}

function anchorWords(schedule: Schedule, anchorAt: number): string {
  if (!('anchor' in schedule) || schedule.anchor === undefined) return ''
  if (schedule.anchor === 'epoch') return ', aligned to the clock (UTC)'
  return `, counted from ${new Date(anchorAt).toISOString()}`
}

function cronWords(cron: string, name: string | undefined): string {
  const expression = parseCron(cron, name)
  const text = expression.hashed ? (name === undefined ? null : withoutHash(expression)) : cron
  if (text === null) return `By cron ${cron}, where H is taken from the job's name`
  try {
    const { join, daysRestricted, weekdaysRestricted } = expression.days
    const words = cronstrue.toString(text.replace(/\+(?=\S+$)/, ''), {
      use24HourTimeFormat: true,
      logicalAndDayFields: join === 'and',
    })
    // "on day 1 of the month, and on Friday" reads as both; either is meant.
    const either = daysRestricted && weekdaysRestricted && join === 'or'
    return either ? words.replace(/, and on (?!.*, and on )/, ', or on ') : words
  } catch {
    // cronstrue has no words for some lists, such as 15W,LW; what was written still says it best.
    return `By cron ${cron}`
  }
}

/** The text with each hashed field replaced by its values, or null where it also holds `L`, `W` or `#`. */
function withoutHash(expression: CronExpression): string | null {
  const { fields, seconds, minutes, hours, days } = expression
  const values = [
    seconds,
    minutes,
    hours,
    bits(days.days, 1),
    bits(days.months, 1),
    bits(days.weekdays, 0),
  ] as const
  const texts = fields.map((field, index) => {
    const body = field.replace(/^\+/, '')
    if (!/(^|,)H($|[(/,])/i.test(body)) return body
    return /[LW#]/i.test(body) ? null : (values[index] ?? []).join(',')
  })
  return texts.includes(null) ? null : texts.join(' ')
}

function bits(mask: number, first: number): readonly number[] {
  return Array.from({ length: 31 }, (_, bit) => bit)
    .filter((bit) => ((mask >>> bit) & 1) === 1)
    .map((bit) => bit + first)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
