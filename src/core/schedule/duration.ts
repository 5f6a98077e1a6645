import { EvertickError } from '../error.ts'
import { keysOf, ownValue } from '../table-keys.ts'
import type { Duration, DurationUnit } from './schedule.ts'

const unitMs: Readonly<Record<DurationUnit, number>> = {
  w: 604_800_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}
const units = keysOf(unitMs)

/** No real duration is longer; the cap keeps error messages and parsing small. */
const maxLength = 64

/** Milliseconds of a duration as the user wrote it. `field` is the option's name, for the message. */
export function parseDuration(value: unknown, field: string): number {
  if (typeof value === 'number') return wholeMs(value, String(value), field)
  if (typeof value !== 'string') throw refused(field, `is ${typeName(value)}`)
  if (value.length > maxLength) throw refused(field, `has ${value.length} characters`)
  const text = value.trim()
  const shown = JSON.stringify(value)
  if (text.startsWith('-')) throw refused(field, `is negative: ${shown}`)
  const part = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*/giy
  let total = 0
  let previousUnit = Number.POSITIVE_INFINITY
  while (part.lastIndex < text.length) {
    const match = part.exec(text)
    if (match === null) throw refused(field, `cannot be read: ${shown}`)
    const [, amount = '', unit = ''] = match
    const ms = unitOf(unit)
    if (ms === undefined) throw refused(field, `has the unknown unit "${unit}": ${shown}`)
    // Descending units only: '30m1h' is more often a mistake than intended.
    if (ms >= previousUnit) throw refused(field, `has its units out of order: ${shown}`)
    previousUnit = ms
    total += Number(amount) * ms
  }
  if (previousUnit === Number.POSITIVE_INFINITY) throw refused(field, `cannot be read: ${shown}`)
  // '0.1s' is exact in intent, not in binary: round what differs by less than a millionth of a millisecond.
  const rounded = Math.round(total)
  return wholeMs(Math.abs(rounded - total) < 1e-6 ? rounded : total, shown, field)
}

/** "1h 30m", "250ms", "0ms": the largest units first, weeks written as days. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return String(ms)
  if (ms < 0) return `-${formatDuration(-ms)}`
  const parts: string[] = []
  let rest = Math.round(ms)
  for (const unit of units) {
    if (unit === 'w') continue
    const amount = Math.floor(rest / unitMs[unit])
    rest -= amount * unitMs[unit]
    if (amount > 0) parts.push(`${amount}${unit}`)
  }
  return parts.length === 0 ? '0ms' : parts.join(' ')
}

/** "1h30m": a duration as one would write it. */
export function durationText(ms: number): Duration {
  return formatDuration(ms).replaceAll(' ', '') as Duration
}

function unitOf(text: string): number | undefined {
  return ownValue(unitMs, text.toLowerCase())
}

function wholeMs(ms: number, shown: string, field: string): number {
  if (Number.isNaN(ms)) throw refused(field, 'is NaN')
  if (ms < 0) throw refused(field, `is negative: ${shown}`)
  if (!Number.isFinite(ms) || ms > Number.MAX_SAFE_INTEGER) throw refused(field, `is too long: ${shown}`)
  if (!Number.isInteger(ms)) throw refused(field, `is not a whole number of milliseconds: ${shown}`)
  return ms
}

function typeName(value: unknown): string {
  return value === null ? 'null' : value === undefined ? 'missing' : `of type ${typeof value}`
}

function refused(field: string, what: string): EvertickError {
  return new EvertickError('invalid_duration', `${field} ${what}`, {
    field,
    next: "Give whole milliseconds, or text such as '250ms', '10s', '15m', '2h', '1d', '1w' or '1h30m'.",
  })
}
