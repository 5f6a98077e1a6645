import { EvertickError } from '../error.ts'
import { dayMs, formatLocal } from './civil-day.ts'
import { didYouMean } from './did-you-mean.ts'
import { findSegments, type OffsetSegment } from './zone-segments.ts'

/**
 * Where a zone's clock stands at an instant. Built from `Intl` once per zone and window of 360 days, then kept:
 * an `Intl` call costs microseconds, a look into the kept table nanoseconds.
 */
export interface ZoneOffsets {
  readonly timezone: string
  /** The stretch of constant offset that holds `instant`. Neighbours may have the same offset. */
  segmentAt(instant: number): OffsetSegment
}

const windowMs = 360 * dayMs
/** Offsets are looked up from 1970 to mid 2200; before and after, a zone keeps the offset it has at that border. */
const windows = 234
const lastInstant = 8_640_000_000_000_000

const zones = new Map<string, ZoneOffsets>()
const utc: ZoneOffsets = fixedZone('UTC')
let knownNames: readonly string[] | undefined

/** The offsets of an IANA zone. An unknown name is refused with the nearest known one. */
export function zoneOffsets(timezone: string): ZoneOffsets {
  if (timezone === 'UTC') return utc
  // Case variants of one name share an entry: the cache cannot outgrow the list of zones.
  const key = timezone.toLowerCase()
  const cached = zones.get(key)
  if (cached !== undefined) return cached
  const made = key === 'utc' ? utc : zoneFrom(canonicalName(timezone), offsetReader(timezone))
  zones.set(key, made)
  return made
}

/** What the zone's clock shows, with its name: `2027-01-04 02:00 Europe/Madrid`. */
export function clockText(instant: number, timezone: string): string {
  const zone = zoneOffsets(timezone)
  return `${formatLocal(instant + zone.segmentAt(instant).offsetMs)} ${zone.timezone}`
}

/** The name in its usual spelling (`europe/madrid` becomes `Europe/Madrid`), or an error. */
export function parseTimezone(value: unknown, field: string): string {
  if (typeof value !== 'string') throw refused(`${field} must be a string`, field)
  try {
    return zoneOffsets(value).timezone
  } catch (error) {
    if (!(error instanceof EvertickError)) throw error
    throw new EvertickError('invalid_timezone', error.message, { field, ...nextOf(error) })
  }
}

/** A zone from any source of offsets, read in windows and kept. Tests bring data of another version. */
export function zoneFrom(timezone: string, offsetAt: (instant: number) => number): ZoneOffsets {
  const table = new Map<number, readonly OffsetSegment[]>()
  let last: OffsetSegment | undefined
  return {
    timezone,
    segmentAt(instant) {
      if (last !== undefined && instant >= last.startAt && instant < last.endAt) return last
      const index = Math.max(-1, Math.min(windows, Math.floor(instant / windowMs)))
      let segments = table.get(index)
      if (segments === undefined) {
        segments = windowSegments(index, offsetAt)
        table.set(index, segments)
      }
      last = segments.find((segment) => instant < segment.endAt) ?? (segments.at(-1) as OffsetSegment)
      return last
    },
  }
}

function windowSegments(index: number, offsetAt: (instant: number) => number): readonly OffsetSegment[] {
  const startAt = index * windowMs
  if (index < 0) {
    const peak = Number.NEGATIVE_INFINITY
    return [{ startAt: -lastInstant, endAt: 0, offsetMs: offsetAt(0), peak }]
  }
  if (index < windows) return findSegments(offsetAt, startAt, startAt + windowMs)
  const [first] = findSegments(offsetAt, startAt, startAt + dayMs) as [OffsetSegment]
  return [{ ...first, endAt: lastInstant }]
}

function fixedZone(timezone: string): ZoneOffsets {
  const segment = {
    startAt: -lastInstant,
    endAt: lastInstant,
    offsetMs: 0,
    peak: Number.NEGATIVE_INFINITY,
  }
  return { timezone, segmentAt: () => segment }
}

/** Offset in milliseconds, to the second: Africa/Monrovia stood at -00:44:30 until 1972. */
function offsetReader(timezone: string): (instant: number) => number {
  // Intl takes "+01:00" as a zone, too; we do not: such a job would ignore daylight saving without saying so.
  if (!/^[a-z][a-z0-9_+/-]{1,63}$/i.test(timezone)) throw unknownZone(timezone)
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
  } catch {
    throw unknownZone(timezone)
  }
  return (instant) => {
    const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(format.format(instant))
    const seconds = Number(match?.[2] ?? 0) * 3600 + Number(match?.[3] ?? 0) * 60 + Number(match?.[4] ?? 0)
    return match?.[1] === '-' ? -seconds * 1000 : seconds * 1000
  }
}

function canonicalName(timezone: string): string {
  const key = timezone.toLowerCase()
  return zoneNames().find((name) => name.toLowerCase() === key) ?? timezone
}

function zoneNames(): readonly string[] {
  knownNames ??= ['UTC', ...Intl.supportedValuesOf('timeZone')]
  return knownNames
}

function unknownZone(timezone: string): EvertickError {
  const shown = JSON.stringify(timezone.slice(0, 64))
  if (/^(utc|gmt)?[+-]\d/i.test(timezone)) {
    const next =
      'Name a place such as Europe/Madrid; a fixed offset is Etc/GMT-3 for three hours ahead of UTC.'
    return refused(`${shown} is an offset, not a time zone`, 'timezone', next)
  }
  const city = timezone.toLowerCase().replaceAll(' ', '_')
  const near =
    zoneNames().find((name) => name.toLowerCase().endsWith(`/${city}`)) ?? didYouMean(timezone, zoneNames())
  return refused(
    `${shown} is not a known time zone${near === undefined ? '' : `; did you mean ${near}?`}`,
    'timezone',
  )
}

function refused(message: string, field: string, next = 'Use an IANA name such as Europe/Madrid, or UTC.') {
  return new EvertickError('invalid_timezone', message, { field, next })
}

function nextOf(error: EvertickError): { next?: string } {
  return error.next === undefined ? {} : { next: error.next }
}
