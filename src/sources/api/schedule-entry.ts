/** One schedule as an API writes it, in snake_case or camelCase, into the one form that the facade takes. */
import { isRecord } from '../../core/unknown-value.ts'

export interface ScheduleEntry {
  readonly scheduleId: string
  readonly domain: string
  readonly domainConfigId: string | null
  readonly profile: string | null
  readonly cron: string | null
  readonly every: string | number | null
  readonly frequency: string | null
  readonly timezone: string | null
  readonly enabled: boolean
  readonly metadata: Readonly<Record<string, unknown>>
}

/** An entry that was passed over, and why. */
export interface InvalidEntry {
  /** Its place in the answer, from 0. */
  readonly index: number
  /** Null where not even that could be read. */
  readonly scheduleId: string | null
  readonly why: string
}

export interface ReadEntries {
  readonly entries: readonly (ScheduleEntry & { readonly index: number })[]
  readonly invalid: readonly InvalidEntry[]
}

/** A bad entry never stops the others. */
export function readEntries(values: readonly unknown[]): ReadEntries {
  const entries: (ScheduleEntry & { index: number })[] = []
  const invalid: InvalidEntry[] = []
  for (const [index, value] of values.entries()) {
    const scheduleId = isRecord(value) ? idOf(value) : null
    try {
      const entry = readEntry(value, scheduleId)
      if (entries.some((known) => known.scheduleId === entry.scheduleId))
        throw new Misread('it is listed twice')
      entries.push({ ...entry, index })
    } catch (error) {
      if (!(error instanceof Misread)) throw error
      invalid.push({ index, scheduleId, why: error.message })
    }
  }
  return { entries, invalid }
}

class Misread extends Error {}

function readEntry(value: unknown, scheduleId: string | null): ScheduleEntry {
  if (!isRecord(value)) throw new Misread('it is not an object')
  if (scheduleId === null) throw new Misread('it has no schedule_id')
  const read = new Fields(value)
  const domain = read.text('domain')
  if (domain === null) throw new Misread('it has no domain')
  return {
    scheduleId,
    domain,
    domainConfigId: read.text('domainConfigId', 'domain_config_id'),
    profile: read.text('profile'),
    cron: read.text('cron', 'cronExpression', 'cron_expression'),
    every: read.duration('every'),
    frequency: read.text('frequency'),
    timezone: read.text('timezone', 'time_zone'),
    enabled: read.flag('enabled'),
    metadata: read.record('metadata'),
  }
}

/** Numbers are as good as texts: many APIs count their rows. */
function idOf(value: Readonly<Record<string, unknown>>): string | null {
  const id = value['scheduleId'] ?? value['schedule_id'] ?? value['id']
  if (typeof id === 'number' && Number.isFinite(id)) return String(id)
  return typeof id === 'string' && id !== '' ? id : null
}

/** Reads the first of several names that has a value; a value of another type is never taken for none. */
class Fields {
  readonly #value: Readonly<Record<string, unknown>>

  constructor(value: Readonly<Record<string, unknown>>) {
    this.#value = value
  }

  text(...names: string[]): string | null {
    const value = this.#find(names)
    if (value === null) return null
    if (typeof value === 'number' && Number.isFinite(value)) return String(value)
    if (typeof value === 'string') return value === '' ? null : value
    throw new Misread(`its ${names[0]} is not a string`)
  }

  duration(name: string): string | number | null {
    const value = this.#find([name])
    if (value === null || typeof value === 'string' || typeof value === 'number') return value
    throw new Misread(`its ${name} is not a duration`)
  }

  flag(name: string): boolean {
    const value = this.#find([name]) ?? true
    if (typeof value === 'boolean') return value
    throw new Misread(`its ${name} is neither true nor false`)
  }

  record(name: string): Readonly<Record<string, unknown>> {
    const value = this.#find([name]) ?? {}
    if (isRecord(value)) return value
    throw new Misread(`its ${name} is not an object`)
  }

  #find(names: readonly string[]): unknown {
    const name = names.find((each) => this.#value[each] !== undefined && this.#value[each] !== null)
    return name === undefined ? null : this.#value[name]
  }
}
