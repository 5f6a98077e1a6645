/** Schedules as a plain crontab says them: five fields with numbers, names, lists, ranges and steps, or a nickname. */
import { cronToInterval } from '../../core/schedule/cron/cron-to-interval.ts'
import type { ScheduleSpec } from '../../core/schedule/schedule.ts'

export type PlainCron = { readonly cron: string; readonly timezone: string } | { readonly why: string }

const minuteMs = 60_000
const names = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT']
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC']

export function plainCron(schedule: ScheduleSpec | null): PlainCron {
  switch (schedule?.kind) {
    case 'cron':
      return plainText(schedule.cron, schedule.timezone)
    case 'every': {
      const cron = cronOfInterval(schedule.everyMs, schedule.anchorAt)
      return cron === null
        ? { why: 'its interval does not divide an hour, a day or a week' }
        : { cron, timezone: 'UTC' }
    }
    case 'fixed_delay':
      return { why: 'it counts from the end of each run' }
    case 'at':
      return { why: 'it runs once' }
    case undefined:
      return { why: 'it has no schedule' }
  }
}

/** Written anew, field by field: whatever else stood between or in them is not passed on. */
function plainText(cron: string, timezone: string): PlainCron {
  const fields = cron.trim().split(/\s+/)
  const isPlain =
    fields.length === 5
      ? fields.every((field) => field.split(',').every(isPlainElement))
      : fields.length === 1 && /^@[a-z]+$/i.test(fields[0] ?? '')
  if (!isPlain) return { why: `a crontab cannot express ${JSON.stringify(cron)}` }
  if (!/^[\w+:/-]+$/.test(timezone)) return { why: 'a crontab cannot express its time zone' }
  return { cron: fields.join(' '), timezone }
}

function isPlainElement(element: string): boolean {
  const match = /^(?:\*|(\d+|[a-z]{3})(?:-(\d+|[a-z]{3}))?)(\/\d+)?$/i.exec(element)
  if (match === null) return false
  const [, from, to, step] = match
  if (from === undefined) return true
  // `5/15` is a range only in some crons, and a range that wraps around in none but ours.
  return to === undefined ? step === undefined : valueOf(from) <= valueOf(to)
}

function valueOf(text: string): number {
  const name = text.toUpperCase()
  return names.includes(name)
    ? names.indexOf(name)
    : months.includes(name)
      ? months.indexOf(name)
      : Number(text)
}

/** Checked by the way there: the cron must be the interval with the very same ticks. */
function cronOfInterval(everyMs: number, anchorAt: number): string | null {
  const every = everyMs / minuteMs
  const offset = (((anchorAt / minuteMs) % every) + every) % every
  if (!Number.isInteger(every) || !Number.isInteger(offset)) return null
  const minute = String(offset % 60)
  const hour = String(Math.floor(offset / 60) % 24)
  // 1970 began on a Thursday.
  const weekday = (Math.floor(offset / 1_440) + 4) % 7
  const candidates = [
    `${stepped(every, offset, 59)} * * * *`,
    `${minute} ${stepped(every / 60, Math.floor(offset / 60), 23)} * * *`,
    `${minute} ${hour} * * *`,
    `${minute} ${hour} * * ${weekday}`,
  ]
  return candidates.find((cron) => isInterval(cron, everyMs, anchorAt)) ?? null
}

function stepped(every: number, offset: number, last: number): string {
  if (!Number.isInteger(every) || every > last) return '*'
  if (every === 1) return '*'
  return offset === 0 ? `*/${every}` : `${offset}-${last}/${every}`
}

function isInterval(cron: string, everyMs: number, anchorAt: number): boolean {
  const interval = cronToInterval(cron)
  if (interval.kind === 'cron' || interval.everyMs !== everyMs) return false
  const anchor = interval.anchor === 'epoch' ? 0 : Date.parse(interval.anchor)
  return (anchorAt - anchor) % everyMs === 0
}
