import { type CronPart, cronError, splitPart } from './cron-error.ts'
import { hashedPlace } from './cron-hash.ts'

/** What one field of an expression takes. */
export interface CronField {
  readonly name: string
  readonly min: number
  readonly max: number
  /** Names for `min`, `min + 1`, ... */
  readonly names?: readonly string[]
  /** The largest value that a bare `H` takes, where it is not `max`. */
  readonly hashMax?: number
  /** How many different values there are, where it is not `max - min + 1`: 0 and 7 are one weekday. */
  readonly cycle?: number
}

export const cronFields = {
  second: { name: 'second', min: 0, max: 59 },
  minute: { name: 'minute', min: 0, max: 59 },
  hour: { name: 'hour', min: 0, max: 23 },
  // Every month has 28 days: a hashed day falls into each of them.
  day: { name: 'day of month', min: 1, max: 31, hashMax: 28 },
  month: {
    name: 'month',
    min: 1,
    max: 12,
    names: ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'],
  },
  weekday: {
    name: 'weekday',
    min: 0,
    max: 7,
    names: ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'],
    hashMax: 6,
    cycle: 7,
  },
} as const satisfies Record<string, CronField>

/** `flags[n]`: the value `n` is in. Sixty values do not fit the 32 bits of a mask. */
export type ValueFlags = boolean[]

// Adds the values of one list element: `*`, `5`, `5-9`, `*/15`, `5-59/15`, `5/15`, `H`, `H(0-29)`, `H/15`.
export function addElement(values: ValueFlags, element: CronPart, field: CronField, hashSeed?: string): void {
  const [base, stepPart, extra] = splitPart(element, '/')
  if (base === undefined || extra !== undefined) throw cronError(field.name, element, 'has more than one "/"')
  const step = stepPart === undefined ? 1 : parseStep(element, stepPart, field)
  const hashed = /^H(?:\(([^()]*)\))?$/i.exec(base.text)
  if (hashed !== null) {
    const inner = hashed[1] === undefined ? undefined : { ...base, text: hashed[1], at: base.at + 2 }
    const [from, to] = inner === undefined ? [field.min, field.hashMax ?? field.max] : hashRange(inner, field)
    addHashed(values, field, from, to, stepPart === undefined ? undefined : step, hashSeed)
    return
  }
  const [from, to] = parseRange(base, field, stepPart !== undefined)
  addSteps(values, field, from, to >= from ? to : to + cycleOf(field), step)
}

/** Values past the end wrap around: FRI-MON is 5, 6, 7, 8 and means Friday, Saturday, Sunday, Monday. */
function addSteps(values: ValueFlags, field: CronField, from: number, to: number, step: number): void {
  const last = lastOf(field)
  const cycle = cycleOf(field)
  for (let value = from; value <= to; value += step) values[value > last ? value - cycle : value] = true
}

/** The value of a number or a name, checked against the field's range. */
export function parseValue(part: CronPart, field: CronField): number {
  const named = field.names?.indexOf(part.text.toUpperCase()) ?? -1
  if (named >= 0) return field.min + named
  if (/^\d{1,9}$/.test(part.text)) {
    const value = Number(part.text)
    if (value >= field.min && value <= field.max) return value
    throw cronError(field.name, part, `is outside ${field.min}-${field.max}`)
  }
  if (part.text === '') throw cronError(field.name, part, 'is empty where a value is needed')
  const short = field.names?.find((name) => part.text.toUpperCase().startsWith(name))
  if (short !== undefined) throw cronError(field.name, part, `is not a ${field.name}; write ${short}`)
  throw cronError(field.name, part, `is not a ${field.name}, ${field.min}-${field.max}${namesOf(field)}`)
}

function parseRange(base: CronPart, field: CronField, stepped: boolean): readonly [number, number] {
  if (base.text === '*') return [field.min, lastOf(field)]
  const [first, second, extra] = splitPart(base, '-')
  if (first === undefined || extra !== undefined) throw cronError(field.name, base, 'has more than one "-"')
  if (second !== undefined && (first.text === '' || second.text === '')) {
    throw cronError(field.name, base, 'is a range without its start or end')
  }
  const from = parseValue(first, field)
  if (second !== undefined) return [from, parseValue(second, field)]
  // `5/15` counts from 5 to the end of the field, as in Quartz and Jenkins.
  return [from, stepped ? Math.max(from, lastOf(field)) : from]
}

function parseStep(element: CronPart, part: CronPart, field: CronField): number {
  if (!/^\d{1,9}$/.test(part.text)) throw cronError(field.name, element, 'has a step that is not a number')
  const step = Number(part.text)
  if (step === 0) throw cronError(field.name, element, 'has step 0')
  const cycle = cycleOf(field)
  if (step > cycle) {
    const next = `A step starts again in each cycle; for other intervals use { every: … }.`
    throw cronError(field.name, element, `has a step larger than the field, ${cycle}`, next)
  }
  return step
}

function hashRange(inner: CronPart, field: CronField): readonly [number, number] {
  const [first, second, extra] = splitPart(inner, '-')
  if (first === undefined || second === undefined || extra !== undefined) {
    throw cronError(field.name, inner, 'is not a range for H, such as H(0-29)')
  }
  const from = parseValue(first, field)
  const to = parseValue(second, field)
  if (from > to) throw cronError(field.name, inner, 'is a range for H that ends before it starts')
  return [from, to]
}

/** Without a seed, which happens where a text is only checked, every value that H could take is in. */
function addHashed(
  values: ValueFlags,
  field: CronField,
  from: number,
  to: number,
  step: number | undefined,
  seed: string | undefined,
): void {
  if (seed === undefined) return addSteps(values, field, from, to, 1)
  const span = to - from + 1
  const first = from + hashedPlace(seed, Math.min(step ?? span, span))
  return addSteps(values, field, first, to, step ?? span)
}

function cycleOf(field: CronField): number {
  return field.cycle ?? field.max - field.min + 1
}

/** The largest value that is not a second name of another. */
function lastOf(field: CronField): number {
  return field.min + cycleOf(field) - 1
}

function namesOf(field: CronField): string {
  return field.names === undefined ? '' : ` or ${field.names[0]}-${field.names.at(-1)}`
}
