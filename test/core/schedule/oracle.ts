/**
 * An evaluator of its own, as plain as possible, to judge the real one: it lays out each minute of a window of four
 * days with the local time that `Intl` shows for it, and looks at every one. No code is shared with `src/`.
 */

export interface OracleWindow {
  readonly timezone: string
  readonly startAt: number
  readonly endAt: number
  /** For each UTC minute, the local clock as if it were UTC, in minutes since 1970. */
  readonly local: Int32Array
  /** For each UTC minute, 1 if its local minute was neither shown nor passed over before. */
  readonly isFirst: Uint8Array
  /** The local minutes that the clock passed over, by the index of the minute after the jump. */
  readonly skipped: ReadonlyMap<number, readonly number[]>
}

const minuteMs = 60_000
const quarter = 15

/** Windows of four days around every change of a zone's clock within the years, and one quiet one. */
export function oracleWindows(timezone: string, fromYear: number, toYear: number): OracleWindow[] {
  const clock = localClock(timezone)
  const dayMs = 1440 * minuteMs
  const windows: OracleWindow[] = [layOut(timezone, clock, Date.UTC(fromYear, 6, 10))]
  const end = Date.UTC(toYear, 0, 1)
  for (let at = Date.UTC(fromYear, 0, 1); at < end; at += dayMs) {
    const changed = clock(at + dayMs) - clock(at) !== 1440
    if (changed) windows.push(layOut(timezone, clock, at - dayMs - 17 * 3_600_000))
  }
  return windows
}

/** Quarter hours through Intl; minutes only where two quarters disagree. */
function layOut(timezone: string, clock: (at: number) => number, startAt: number): OracleWindow {
  const minutes = 4 * 1440
  const local = new Int32Array(minutes)
  for (let index = 0; index < minutes; index += quarter) {
    const at = startAt + index * minuteMs
    const first = clock(at)
    const even = clock(at + quarter * minuteMs) - first === quarter
    for (let step = 0; step < quarter; step++) {
      local[index + step] = even ? first + step : clock(at + step * minuteMs)
    }
  }
  const seen = new Set<number>()
  const skipped = new Map<number, number[]>()
  const isFirst = new Uint8Array(minutes)
  for (const [index, shown] of local.entries()) {
    for (let passed = (local[index - 1] ?? shown) + 1; passed < shown; passed++) {
      skipped.set(index, [...(skipped.get(index) ?? []), passed])
      seen.add(passed)
    }
    if (!seen.has(shown)) isFirst[index] = 1
    seen.add(shown)
  }
  return { timezone, startAt, endAt: startAt + minutes * minuteMs, local, isFirst, skipped }
}

function localClock(timezone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (at) => {
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0] = (format.format(at).match(/\d+/g) ?? []).map(
      Number,
    )
    return Date.UTC(year, month - 1, day, hour, minute) / minuteMs
  }
}

/** All ticks of an expression in the window, by looking at each minute. The window's first day is a lead-in. */
export function oracleTicks(cron: string, window: OracleWindow, hashKey: string): number[] {
  const fields = cron.split(' ')
  if (fields.length === 5) fields.unshift('0')
  const [second = '', minute = '', hour = '', day = '', month = '', weekday = ''] = fields
  const named = (text: string, min: number, max: number, field: string) => {
    const values: boolean[] = []
    for (let value = min; value <= max; value++) values[value] = holds(text, value, min, max, hashKey + field)
    return values
  }
  const seconds = [...Array(60).keys()].filter((value) => holds(second, value, 0, 59, `${hashKey}\0second`))
  const minutes = named(minute, 0, 59, '\0minute')
  const hours = named(hour, 0, 23, '\0hour')
  const months = named(month, 1, 12, '\0month')
  const days = new Map<number, boolean>()
  const dayMatches = (local: number) => {
    const number = Math.floor(local / 1440)
    let known = days.get(number)
    if (known === undefined) {
      const date = new Date(number * 86_400_000)
      known = months[date.getUTCMonth() + 1] === true && dayHolds(day, weekday, date, hashKey)
      days.set(number, known)
    }
    return known
  }
  const matches = (local: number) =>
    minutes[((local % 60) + 60) % 60] === true &&
    hours[((Math.floor(local / 60) % 24) + 24) % 24] === true &&
    dayMatches(local)

  const wild = (field: string) =>
    field.startsWith('*') || (field.includes('/') && Number(field.split('/')[0]) === 0)
  const everyInstant = wild(minute) || wild(hour)
  const ticks: number[] = []
  for (let index = 0; index < window.local.length; index++) {
    const at = window.startAt + index * minuteMs
    // The clock jumped ahead: whatever it passed over runs now, once.
    if (!everyInstant && window.skipped.get(index)?.some(matches)) ticks.push(at)
    if (!everyInstant && window.isFirst[index] === 0) continue
    if (!matches(window.local[index] as number)) continue
    for (const value of seconds) if (ticks.at(-1) !== at + value * 1000) ticks.push(at + value * 1000)
  }
  return ticks
}

const names = 'SUN MON TUE WED THU FRI SAT JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ')

function numberOf(text: string): number {
  const index = names.indexOf(text.toUpperCase())
  return index < 0 ? Number(text) : index < 7 ? index : index - 6
}

/** Whether a field without day rules names a value; `max` 6 is the weekday field, where 7 is 0. */
function holds(text: string, value: number, min: number, max: number, seed: string): boolean {
  return text.split(',').some((element, index) => elementHolds(element, value, min, max, `${seed}\0${index}`))
}

function elementHolds(element: string, value: number, min: number, max: number, seed: string): boolean {
  const [base = '', step] = element.split('/')
  const size = max - min + 1
  if (/^h/i.test(base)) {
    const [from = min, to = min === 1 && max === 31 ? 28 : max] = (base.match(/\d+/g) ?? []).map(Number)
    const span = to - from + 1
    const phase = hash(seed) % (step === undefined ? span : Math.min(span, Number(step)))
    const distance = value - from - phase
    return (
      value <= to && distance >= 0 && (step === undefined ? distance === 0 : distance % Number(step) === 0)
    )
  }
  const [a = '', b] = base === '*' ? [String(min), String(max)] : base.split('-')
  const from = numberOf(a)
  const last = b === undefined ? (step === undefined ? from : Math.max(max, from)) : numberOf(b)
  // Counting up from the start until the end comes by, around the edge if need be.
  for (let count = 0, current = from; ; count++, current++) {
    const shown = min + ((((current - min) % size) + size) % size)
    if (shown === value && count % Number(step ?? 1) === 0) return true
    if (current === last || (last < from && current === last + size)) return false
  }
}

function dayHolds(dayText: string, weekdayText: string, date: Date, hashKey: string): boolean {
  const and = weekdayText.startsWith('+')
  const weekdayBody = and ? weekdayText.slice(1) : weekdayText
  const anyDay = dayText === '*' || dayText === '?'
  const anyWeekday = weekdayBody === '*' || weekdayBody === '?'
  const byDay = () => dayText.split(',').some((text, index) => dayElement(text, index, date, hashKey))
  const byWeekday = () =>
    weekdayBody.split(',').some((text, index) => weekdayElement(text, index, date, hashKey))
  if (anyDay && anyWeekday) return true
  if (anyDay) return byWeekday()
  if (anyWeekday) return byDay()
  return and ? byDay() && byWeekday() : byDay() || byWeekday()
}

function dayElement(text: string, index: number, date: Date, hashKey: string): boolean {
  const day = date.getUTCDate()
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  if (text === 'L') return day === last
  if (text.startsWith('L-')) return day === last - Number(text.slice(2))
  const isWorkday = (d: number) => {
    const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), d)).getUTCDay()
    return d >= 1 && d <= last && weekday >= 1 && weekday <= 5
  }
  if (text.endsWith('W')) {
    const wanted = text === 'LW' ? last : Number(text.slice(0, -1))
    if (wanted > last) return false
    // Distance 0, then 1 either way (only one of them can be a workday), then 2.
    const nearest = [0, -1, 1, -2, 2].map((step) => wanted + step).find(isWorkday)
    return day === nearest
  }
  return elementHolds(text, day, 1, 31, `${hashKey}\0day\0${index}`)
}

function weekdayElement(text: string, index: number, date: Date, hashKey: string): boolean {
  const day = date.getUTCDate()
  const isDay = (name: string) => numberOf(name) % 7 === date.getUTCDay()
  const [name = '', nth] = text.split('#')
  if (nth !== undefined) return isDay(name) && Math.ceil(day / 7) === Number(nth)
  if (/.L$/i.test(text)) {
    const inAWeek = new Date(date.getTime() + 7 * 86_400_000)
    return isDay(text.slice(0, -1)) && inAWeek.getUTCMonth() !== date.getUTCMonth()
  }
  return elementHolds(text, date.getUTCDay(), 0, 6, `${hashKey}\0weekday\0${index}`)
}

function hash(key: string): number {
  let value = 2_166_136_261n
  const mask = 0xffffffffn
  for (const unit of Array.from({ length: key.length }, (_, index) => BigInt(key.charCodeAt(index)))) {
    value = ((value ^ unit) * 16_777_619n) & mask
  }
  value = ((value ^ (value >> 16n)) * 0x85ebca6bn) & mask
  value = ((value ^ (value >> 13n)) * 0xc2b2ae35n) & mask
  return Number(value ^ (value >> 16n))
}
