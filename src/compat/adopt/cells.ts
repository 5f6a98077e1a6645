/** Cells of somebody else's table, as three drivers hand them over. What cannot be read is said, never guessed. */
import { EvertickError } from '../../core/error.ts'
import { parseInstant } from '../../core/schedule/instant.ts'
import { isRecord } from '../../core/unknown-value.ts'
import type { ForeignRow } from '../../store/foreign.ts'

/** A row that stays where it is, and why. */
export class Unreadable extends Error {
  readonly next: string

  constructor(why: string, next = 'Put it right there, and import again.') {
    super(why)
    this.next = next
  }
}

/** Empty text counts as none. */
export function textIn(row: ForeignRow, ...names: string[]): string | null {
  const value = valueIn(row, names)
  if (value === null || value === '') return null
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  return typeof value === 'object' ? JSON.stringify(value) : `${value as number | bigint | boolean}`
}

export function numberIn(row: ForeignRow, name: string): number | null {
  const text = textIn(row, name)
  if (text === null) return null
  const number = Number(text)
  if (Number.isFinite(number)) return number
  throw new Unreadable(`its ${name} is "${text}", not a number`)
}

/** As engines without a type for it write it, too. */
export function flagIn(row: ForeignRow, ...names: string[]): boolean | null {
  const value = valueIn(row, names)
  if (value === null) return null
  const bit = value instanceof Uint8Array ? value[0] : value
  if (bit === true || bit === 1 || bit === 1n || bit === '1' || bit === 't' || bit === 'true') return true
  if (bit === false || bit === 0 || bit === 0n || bit === '0' || bit === 'f' || bit === 'false') return false
  throw new Unreadable(`its ${names[0]} is neither true nor false`)
}

/** Of a number as much as this is milliseconds; less is seconds. As either, it is the year 1973 or later. */
const leastMs = 1e11

/** A time without a zone is UTC, as the documents say. */
export function instantIn(row: ForeignRow, ...names: string[]): number | null {
  const value = valueIn(row, names)
  if (value === null || value === '') return null
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'number' || typeof value === 'bigint') {
    const number = Number(value)
    return Math.round(number >= leastMs ? number : number * 1_000)
  }
  const text = (textIn(row, ...names) ?? '').trim()
  try {
    return parseInstant(zoned(text), names[0] ?? '')
  } catch (error) {
    if (error instanceof EvertickError) throw new Unreadable(`its ${names[0]} is "${text}", not a time`)
    throw error
  }
}

/** PostgreSQL cuts an offset to `+00`, and SQL writes a space for the T and for the zone. */
function zoned(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text}T00:00Z`
  const iso = text.replace(' ', 'T').replace(/ ?([+-]\d\d)$/, '$1:00')
  return /(?:[Zz]|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`
}

/** A column of JSON, or of text that holds some; any other value as it is. */
export function dataIn(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return dataIn(new TextDecoder().decode(value))
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

export function recordIn(row: ForeignRow, ...names: string[]): Readonly<Record<string, unknown>> {
  const data = dataIn(valueIn(row, names))
  if (data === null || data === '') return {}
  if (isRecord(data)) return data
  throw new Unreadable(`its ${names[0]} is not an object`)
}

/** All other columns that have a value, for nothing of a row is lost. */
export function otherColumns(row: ForeignRow, known: readonly string[]): Readonly<Record<string, unknown>> {
  const others = Object.entries(row).filter(([name, value]) => !known.includes(name) && value !== null)
  return Object.fromEntries(others.map(([name, value]) => [name, dataIn(value)]))
}

function valueIn(row: ForeignRow, names: readonly string[]): unknown {
  const name = names.find((each) => row[each] !== undefined && row[each] !== null)
  return name === undefined ? null : row[name]
}
