import type { DayRule } from './cron-days.ts'
import { type CronPart, cronError, splitPart } from './cron-error.ts'
import { addElement, cronFields, parseValue, type ValueFlags } from './cron-field.ts'

type DayOfMonthRule = Pick<DayRule, 'days' | 'fromLast' | 'nearest' | 'lastWorkday' | 'daysRestricted'>
type WeekdayRule = Pick<DayRule, 'weekdays' | 'nth' | 'lastWeekdays' | 'weekdaysRestricted' | 'join'>

/** The day-of-month field: plain values, `L`, `L-n`, `LW`, `nW`, `?`. */
export function parseDayOfMonth(part: CronPart, hashSeed?: string): DayOfMonthRule {
  const field = cronFields.day
  const plain: ValueFlags = []
  let fromLast = 0
  let nearest = 0
  let lastWorkday = false
  for (const [index, element] of listOf(part, field.name).entries()) {
    const text = element.text.toUpperCase()
    const before = /^L(?:-(\d{1,9}))?$/.exec(text)
    const workday = /^(\d{1,9})W$/.exec(text)
    if (before !== null) {
      const days = Number(before[1] ?? 0)
      if (days > 30) throw cronError(field.name, element, 'goes back past the first day of every month')
      fromLast |= 1 << days
    } else if (text === 'LW' || text === 'WL') lastWorkday = true
    else if (workday !== null) {
      nearest |= 1 << (parseValue({ ...element, text: workday[1] ?? '' }, field) - 1)
    } else addElement(plain, element, field, seedOf(hashSeed, index))
  }
  const daysRestricted = part.text !== '*' && part.text !== '?'
  return { days: maskOf(plain, field.min), fromLast, nearest, lastWorkday, daysRestricted }
}

/** The weekday field: plain values, `n#k`, `nL`, `?`, and a leading `+` for "and". */
export function parseWeekday(part: CronPart, hashSeed?: string): WeekdayRule {
  const field = cronFields.weekday
  const and = part.text.startsWith('+')
  const body = and ? { ...part, text: part.text.slice(1), at: part.at + 1 } : part
  if (body.text === '') throw cronError(field.name, part, 'needs a weekday after it')
  const plain: ValueFlags = []
  const nth = [0, 0, 0, 0, 0]
  let lastWeekdays = 0
  for (const [index, element] of listOf(body, field.name).entries()) {
    const [name, count, extra] = splitPart(element, '#')
    const last = /^(.+)L$/i.exec(element.text)
    if (name !== undefined && count !== undefined) {
      if (extra !== undefined || !/^[1-5]$/.test(count.text)) {
        throw cronError(field.name, element, 'needs one number from 1 to 5 after "#"')
      }
      const k = Number(count.text) - 1
      nth[k] = (nth[k] ?? 0) | (1 << (parseValue(name, field) % 7))
    } else if (element.text.toUpperCase() === 'L') {
      throw cronError(field.name, element, 'needs a day before it, such as FRIL or 5L for the last Friday')
    } else if (last !== null) {
      lastWeekdays |= 1 << (parseValue({ ...element, text: last[1] ?? '' }, field) % 7)
    } else addElement(plain, element, field, seedOf(hashSeed, index))
  }
  const weekdaysRestricted = body.text !== '*' && body.text !== '?'
  return { weekdays: maskOf(plain, 0), nth, lastWeekdays, weekdaysRestricted, join: and ? 'and' : 'or' }
}

/** The values of a field without day rules. */
export function parseValues(
  part: CronPart,
  field: (typeof cronFields)[keyof typeof cronFields],
  hashSeed?: string,
): readonly number[] {
  const flags: ValueFlags = []
  for (const [index, element] of listOf(part, field.name).entries()) {
    addElement(flags, element, field, seedOf(hashSeed, index))
  }
  return flags.flatMap((isIn, value) => (isIn ? [value] : []))
}

function listOf(part: CronPart, field: string): readonly CronPart[] {
  if (part.text === '?' && (field === cronFields.day.name || field === cronFields.weekday.name)) return []
  const elements = splitPart(part, ',')
  for (const element of elements) {
    if (element.text === '') throw cronError(field, part, 'has an empty item in its list')
    if (element.text === '?')
      throw cronError(field, element, 'must stand alone, and only in the two day fields')
    if (element.text === '*' && elements.length > 1) {
      throw cronError(field, part, 'combines "*", which means every value, with other values')
    }
  }
  return elements
}

/** Each element of a list draws its own value: `H(0-29),H(30-59)` has no fixed distance. */
function seedOf(seed: string | undefined, index: number): string | undefined {
  return seed === undefined ? undefined : `${seed}\0${index}`
}

function maskOf(flags: ValueFlags, min: number): number {
  return flags.reduce((mask, isIn, value) => (isIn ? mask | (1 << (value - min)) : mask), 0)
}
