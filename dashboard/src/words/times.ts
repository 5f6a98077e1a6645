/** Times for people: "in 4 min", "14:05 Madrid"; always in the chosen time zone. */
import { now } from '../clock.ts'
import { preferences } from '../preferences.ts'

export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The zone that a time is shown in; `jobZone` is the zone of the job it belongs to, if any. */
export function shownZone(jobZone?: string | null): string {
  if (preferences.zone === 'utc') return 'UTC'
  if (preferences.zone === 'job' && jobZone != null) return jobZone
  return browserZone
}

/** The last part of a zone's name: "Madrid". */
export function zoneWord(zone: string): string {
  return (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ')
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}|${JSON.stringify(options)}`
  let cached = formats.get(key)
  if (cached === undefined) {
    cached = new Intl.DateTimeFormat('en-GB', { timeZone: zone, hourCycle: 'h23', ...options })
    formats.set(key, cached)
  }
  return cached
}

type Given = string | number | Date

/** "14:05", or with seconds. */
export function timeOfDay(at: Given, zone: string, withSeconds = false): string {
  return format(zone, {
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
  }).format(new Date(at))
}

/** "2026-11-17", the day in the zone. */
export function dayOf(at: Given, zone: string): string {
  const parts = format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(
    new Date(at),
  )
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** "Tue 17 Nov", with the year unless it is this year. */
export function dayWords(at: Given, zone: string): string {
  const sameYear = dayOf(at, zone).slice(0, 4) === dayOf(now.value, zone).slice(0, 4)
  return format(zone, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  }).format(new Date(at))
}

/** "Nov 2026". */
export function shortMonth(at: Given, zone: string): string {
  return format(zone, { month: 'short', year: 'numeric' }).format(new Date(at))
}

/** "14:05 Madrid" if it is today, else "Tue 17 Nov, 14:05 Madrid". */
export function absolute(at: Given, jobZone?: string | null, withSeconds = false): string {
  const zone = shownZone(jobZone)
  const time = `${timeOfDay(at, zone, withSeconds)} ${zoneWord(zone)}`
  return dayOf(at, zone) === dayOf(now.value, zone) ? time : `${dayWords(at, zone)}, ${time}`
}

/** "Last known 14:05 Madrid", for data that cannot be loaded now. At 0 nothing was ever loaded. */
export function lastKnown(at: number): string {
  return at === 0 ? 'Nothing known yet' : `Last known ${absolute(at)}`
}

/** The full instant, for tooltips. */
export function full(at: Given, jobZone?: string | null): string {
  const zone = shownZone(jobZone)
  return `${dayOf(at, zone)} ${timeOfDay(at, zone, true)} ${zone} (${new Date(at).toISOString()})`
}

/** "in 4 min", "3 h ago", "now". */
export function relative(at: Given): string {
  const ms = new Date(at).getTime() - now.value
  if (Math.abs(ms) < 1_000) return 'now'
  // Whole seconds: a countdown with tenths flickers.
  const words = durationWords(Math.floor(Math.abs(ms) / 1_000) * 1_000, 1)
  return ms > 0 ? `in ${words}` : `${words} ago`
}

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
]

/** "1 h 5 min", with at most so many parts. Below ten seconds with one decimal, below one second in ms. */
export function durationWords(ms: number, parts = 2): string {
  if (ms < 1) return '0 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${Math.floor(ms / 100) / 10} s`
  const words: string[] = []
  let rest = ms
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    if (count === 0 && words.length === 0) continue
    rest -= count * size
    if (count > 0) words.push(`${count} ${unit}`)
    if (words.length === parts || unit === 's') break
    // "1 d 5 s" helps nobody: units that are not adjacent are left out.
    if (count === 0) break
  }
  return words.join(' ')
}
