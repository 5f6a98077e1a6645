import { formatDay, formatLocal } from './civil-day.ts'
import { type CronCalendar, cronCalendar } from './cron/cron-calendar.ts'
import { type CronExpression, parseCron } from './cron/cron-expression.ts'
import { cronSequence } from './cron/cron-sequence.ts'
import type { ScheduleSpec } from './schedule.ts'
import { zoneOffsets } from './timezone.ts'
import type { OffsetSegment } from './zone-segments.ts'

/** How far ahead changes of the clock are looked for: two of each for a zone with daylight saving. */
const horizonMs = 731 * 86_400_000
const rareMs = 366 * 86_400_000

/**
 * What a person should know before trusting a cron: day fields that are OR-ed, uneven steps, dates that some months
 * lack, and the concrete next times that a change of the clock swallows or repeats. `name` decides `H`.
 */
export function scheduleWarnings(spec: ScheduleSpec, from: number, name?: string): string[] {
  if (spec.kind !== 'cron') return []
  const expression = parseCron(spec.cron, name)
  const general = [...dayWarnings(expression), ...stepWarnings(expression)]
  // Without the name the values of H are not known, and so neither are its dates.
  if (expression.hashed && name === undefined) return general
  return [
    ...general,
    ...rareWarnings(spec.cron, spec.timezone, from, name),
    ...clockWarnings(expression, spec.timezone, from),
  ]
}

function dayWarnings({ days, fields }: CronExpression): string[] {
  const warnings: string[] = []
  const [, , , day, , weekday] = fields
  if (days.daysRestricted && days.weekdaysRestricted && days.join === 'or') {
    warnings.push(
      `Day of month "${day}" or weekday "${weekday}": a day that matches either counts. ` +
        `Write "+${weekday}" for days that match both.`,
    )
  }
  const late = [29, 30, 31].filter((value) => ((days.days >>> (value - 1)) & 1) === 1)
  const onlyLate = late.length > 0 && (days.days & 0x0fffffff) === 0
  const severalMonths = (days.months & (days.months - 1)) !== 0
  if (days.daysRestricted && onlyLate && severalMonths && !days.weekdaysRestricted) {
    warnings.push(`Months without a day ${late.join(', ')} have no tick; "L" is the last day of each month.`)
  }
  return warnings
}

// A step of 7 in a field of 60: 56 is followed by 0.
function stepWarnings({ fields }: CronExpression): string[] {
  const cycles = [
    ['Second', fields[0], 60, 'seconds'],
    ['Minute', fields[1], 60, 'minutes'],
    ['Hour', fields[2], 24, 'hours'],
  ] as const
  const warnings = cycles.flatMap(([name, text, cycle, unit]) => {
    const step = Number(/^\*\/(\d+)$/.exec(text)?.[1] ?? 1)
    const rest = cycle % step
    return rest === 0
      ? []
      : [`${name} "${text}": from ${cycle - rest} to 0 are ${rest} ${unit}, not ${step}.`]
  })
  if (/^\*\/(?!1$)\d+$/.test(fields[3])) {
    warnings.push(`Day of month "${fields[3]}" starts again at 1 in each month.`)
  }
  return warnings
}

function rareWarnings(cron: string, timezone: string, from: number, name: string | undefined): string[] {
  const sequence = cronSequence(cron, timezone, name)
  const tick = sequence.next(from)
  if (tick === null) return ['There is no further tick.']
  const following = sequence.next(tick)
  if (following !== null && following - tick <= rareMs && tick - from <= rareMs) return []
  const offset = zoneOffsets(timezone).segmentAt(tick).offsetMs
  return [`Rare: the next tick is on ${formatDay(Math.floor((tick + offset) / 86_400_000))}.`]
}

function clockWarnings(expression: CronExpression, timezone: string, from: number): string[] {
  const zone = zoneOffsets(timezone)
  const calendar = cronCalendar(expression)
  const warnings: string[] = []
  for (let at = zone.segmentAt(from).endAt; at < from + horizonMs; ) {
    const segment = zone.segmentAt(at)
    const shown = segment.startAt + segment.offsetMs
    const warning =
      shown > segment.peak
        ? gapWarning(expression, calendar, timezone, segment)
        : shown < segment.peak
          ? foldWarning(expression, calendar, timezone, segment)
          : null
    if (warning !== null) warnings.push(warning)
    at = segment.endAt
  }
  return warnings
}

function gapWarning(
  expression: CronExpression,
  calendar: CronCalendar,
  timezone: string,
  { startAt, offsetMs, peak }: OffsetSegment,
): string | null {
  const shown = startAt + offsetMs
  const times = timesIn(calendar, peak, shown)
  if (times === null || keepsRhythm(expression, shown - peak)) return null
  const what = `${times.text} ${times.several ? 'do' : 'does'} not exist in ${timezone};`
  if (expression.realInstants) {
    return `${what} ${times.several ? 'those ticks are' : 'that tick is'} left out.`
  }
  const end = formatLocal(shown)
  const clock = end.slice(0, 10) === formatLocal(peak).slice(0, 10) ? end.slice(11) : end
  return `${what} ${times.several ? 'one tick for all of them' : 'the tick'} runs at ${clock}.`
}

function foldWarning(
  expression: CronExpression,
  calendar: CronCalendar,
  timezone: string,
  { startAt, offsetMs, peak }: OffsetSegment,
): string | null {
  const times = timesIn(calendar, startAt + offsetMs, peak)
  if (times === null || keepsRhythm(expression, peak - startAt - offsetMs)) return null
  const what = `${times.text} ${times.several ? 'come' : 'comes'} twice in ${timezone};`
  const runs = times.several ? 'those ticks run' : 'the tick runs'
  return `${what} ${runs} ${expression.realInstants ? 'both times' : 'the first time only'}.`
}

/** An hourly job keeps its distance across a jump of whole hours, so there is nothing to warn of. */
function keepsRhythm({ realInstants, hours }: CronExpression, jumpMs: number): boolean {
  return realInstants && hours.length === 24 && jumpMs % 3_600_000 === 0
}

/** The matching local times of `[from, to)` in words, or null for none. */
function timesIn(
  calendar: CronCalendar,
  from: number,
  to: number,
): { text: string; several: boolean } | null {
  const count = calendar.count(from, to)
  const first = calendar.atOrAfter(from)
  const last = calendar.before(to)
  if (count === 0 || first === null || last === null) return null
  if (count === 1) return { text: formatLocal(first), several: false }
  const sameDay = formatLocal(first).slice(0, 10) === formatLocal(last).slice(0, 10)
  const end = sameDay ? formatLocal(last).slice(11) : formatLocal(last)
  return { text: `${formatLocal(first)} to ${end} (${count} times)`, several: true }
}
