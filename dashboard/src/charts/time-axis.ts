/** The marks of a time axis and their labels: round times in the zone, never too close together. */
import { dayMs } from '../../../src/core/schedule/civil-day.ts'
import { dayNumber, instantOf, localMs, minuteMs, startOfDay } from '../words/days.ts'
import { dayWords, shortMonth, timeOfDay } from '../words/times.ts'

export interface AxisMark {
  readonly at: number
  readonly label: string
  /** Midnight. */
  readonly isDay: boolean
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * minuteMs)
const daySteps = [1, 2, 3, 7, 14]
const monthSteps = [1, 2, 3, 6]

export function timeAxis(from: number, to: number, marks: number, zone: string): AxisMark[] {
  const wanted = (to - from) / Math.max(1, marks)
  const step = steps.find((each) => each >= wanted)
  if (step !== undefined) return clockMarks(from, to, step, zone)
  const days = daySteps.find((each) => each * dayMs >= wanted)
  return days === undefined ? monthMarks(from, to, wanted, zone) : dayMarks(from, to, days, zone)
}

function clockMarks(from: number, to: number, step: number, zone: string): AxisMark[] {
  const marks: AxisMark[] = []
  // In local time, so that marks stay on round hours when the clocks change.
  const first = Math.ceil(localMs(from, zone) / step) * step
  for (let local = first; local <= localMs(to, zone); local += step) {
    const at = instantOf(local, zone)
    if (at > to || at === marks.at(-1)?.at) continue
    const isDay = local % dayMs === 0
    marks.push({ at, isDay, label: isDay ? dayWords(at, zone) : timeOfDay(at, zone) })
  }
  return marks
}

function dayMarks(from: number, to: number, step: number, zone: string): AxisMark[] {
  const marks: AxisMark[] = []
  for (let day = dayNumber(from, zone) + 1; ; day += step) {
    const at = startOfDay(day, zone)
    if (at > to) return marks
    marks.push({ at, isDay: true, label: dayWords(at, zone) })
  }
}

const shortestMonth = 28

/** Each on the first of a month. */
function monthMarks(from: number, to: number, wanted: number, zone: string): AxisMark[] {
  const step = monthSteps.find((months) => months * shortestMonth * dayMs >= wanted) ?? 12
  const begin = new Date(localMs(from, zone))
  const marks: AxisMark[] = []
  for (let month = begin.getUTCMonth() + 1; ; month += step) {
    const at = instantOf(Date.UTC(begin.getUTCFullYear(), month), zone)
    if (at > to) return marks
    marks.push({ at, isDay: true, label: shortMonth(at, zone) })
  }
}
