/** Which days an expression means, before it is known how long a month is and on which weekday it begins. */
export interface DayRule {
  /** Bit `month - 1`. */
  readonly months: number
  /** Bit `day - 1`. */
  readonly days: number
  /** Bit `n`: the day n days before the last, `L` and `L-n`. */
  readonly fromLast: number
  /** Bit `day - 1`: the weekday nearest to that day, `nW`. */
  readonly nearest: number
  /** `LW`: the last Monday to Friday of the month. */
  readonly lastWorkday: boolean
  /** Bit = weekday, 0 is Sunday. */
  readonly weekdays: number
  /** For the 1st to 5th of the month, a mask of weekdays: `n#k`. */
  readonly nth: readonly number[]
  /** `nL`: the last such weekday of the month. */
  readonly lastWeekdays: number
  readonly daysRestricted: boolean
  readonly weekdaysRestricted: boolean
  /** How the two day fields join where both are restricted. */
  readonly join: 'or' | 'and'
}

/** Bit `day - 1` for each day that matches, in a month of `length` days whose first is `firstWeekday`. */
export function matchingDays(rule: DayRule, month: number, length: number, firstWeekday: number): number {
  if (((rule.months >>> (month - 1)) & 1) === 0) return 0
  const all = 0x7fffffff >>> (31 - length)
  const days = rule.daysRestricted ? daysOfMonth(rule, length, firstWeekday) : all
  const weekdays = rule.weekdaysRestricted ? daysByWeekday(rule, length, firstWeekday) : all
  const either = rule.daysRestricted && rule.weekdaysRestricted && rule.join === 'or'
  return either ? days | weekdays : days & weekdays
}

/** Whether any month of any year has a matching day. Months and weekdays meet in all ways within 400 years. */
export function everMatches(rule: DayRule): boolean {
  for (let month = 1; month <= 12; month++) {
    for (let firstWeekday = 0; firstWeekday < 7; firstWeekday++) {
      if (matchingDays(rule, month, longestMonth(month), firstWeekday) !== 0) return true
      if (month === 2 && matchingDays(rule, 2, 28, firstWeekday) !== 0) return true
    }
  }
  return false
}

function longestMonth(month: number): number {
  return month === 2 ? 29 : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function daysOfMonth(rule: DayRule, length: number, firstWeekday: number): number {
  let mask = rule.days & (0x7fffffff >>> (31 - length))
  for (let day = 1; day <= length; day++) {
    if ((rule.fromLast >>> (length - day)) & 1) mask |= 1 << (day - 1)
    if ((rule.nearest >>> (day - 1)) & 1) mask |= 1 << (nearestWorkday(day, length, firstWeekday) - 1)
  }
  if (rule.lastWorkday) mask |= 1 << (nearestWorkday(length, length, firstWeekday) - 1)
  return mask
}

function daysByWeekday(rule: DayRule, length: number, firstWeekday: number): number {
  let mask = 0
  for (let day = 1; day <= length; day++) {
    const weekday = (firstWeekday + day - 1) % 7
    const nth = rule.nth[Math.floor((day - 1) / 7)] ?? 0
    const weekdays = rule.weekdays | nth | (day > length - 7 ? rule.lastWeekdays : 0)
    if ((weekdays >>> weekday) & 1) mask |= 1 << (day - 1)
  }
  return mask
}

/** Monday to Friday nearest to a day, never in another month: Saturday the 1st gives Monday the 3rd. */
function nearestWorkday(day: number, length: number, firstWeekday: number): number {
  const weekday = (firstWeekday + day - 1) % 7
  if (weekday === 6) return day > 1 ? day - 1 : day + 2
  if (weekday === 0) return day < length ? day + 1 : day - 2
  return day
}
