/** The times of one day that an expression names, as seconds since midnight, in tables made once. */
export interface DayTimes {
  readonly first: number
  readonly last: number
  readonly perDay: number
  /** The first at or after `second` (0-86400), or -1. */
  atOrAfter(second: number): number
  /** The last before `second` (0-86400), or -1. */
  before(second: number): number
  /** How many come before `second` (0-86400). */
  rank(second: number): number
}

export interface ClockValues {
  readonly seconds: readonly number[]
  readonly minutes: readonly number[]
  readonly hours: readonly number[]
}

export function dayTimes({ seconds, minutes, hours }: ClockValues): DayTimes {
  const hour = valueTable(hours, 24)
  const minute = valueTable(minutes, 60)
  const second = valueTable(seconds, 60)
  const perHour = minutes.length * seconds.length

  function atOrAfter(time: number): number {
    const h = Math.floor(time / 3600)
    const rest = time - h * 3600
    const m = Math.floor(rest / 60)
    const s = rest - m * 60
    if (hour.from(h) === h) {
      if (minute.from(m) === m && second.from(s) >= 0) return h * 3600 + m * 60 + second.from(s)
      const later = minute.from(m + 1)
      if (later >= 0) return h * 3600 + later * 60 + second.first
    }
    const laterHour = h >= 24 ? -1 : hour.from(h + 1)
    return laterHour < 0 ? -1 : laterHour * 3600 + minute.first * 60 + second.first
  }

  function before(time: number): number {
    const last = time - 1
    if (last < 0) return -1
    const h = Math.floor(last / 3600)
    const rest = last - h * 3600
    const m = Math.floor(rest / 60)
    const s = rest - m * 60
    if (hour.from(h) === h) {
      if (minute.from(m) === m && second.upTo(s) >= 0) return h * 3600 + m * 60 + second.upTo(s)
      const earlier = m === 0 ? -1 : minute.upTo(m - 1)
      if (earlier >= 0) return h * 3600 + earlier * 60 + second.last
    }
    const earlierHour = h === 0 ? -1 : hour.upTo(h - 1)
    return earlierHour < 0 ? -1 : earlierHour * 3600 + minute.last * 60 + second.last
  }

  function rank(time: number): number {
    const h = Math.floor(time / 3600)
    const m = Math.floor((time - h * 3600) / 60)
    const s = time - h * 3600 - m * 60
    const inHour = minute.rank(m) * seconds.length + (minute.from(m) === m ? second.rank(s) : 0)
    return hour.rank(h) * perHour + (hour.from(h) === h ? inHour : 0)
  }

  return {
    first: hour.first * 3600 + minute.first * 60 + second.first,
    last: hour.last * 3600 + minute.last * 60 + second.last,
    perDay: hours.length * perHour,
    atOrAfter,
    before,
    rank,
  }
}

/** For each place of a field: the nearest value from it on, the nearest up to it, and how many lie below. */
function valueTable(values: readonly number[], size: number) {
  const from = new Int8Array(size + 1).fill(-1)
  const upTo = new Int8Array(size + 1).fill(-1)
  const rank = new Int8Array(size + 1)
  const isIn = new Set(values)
  for (let place = size - 1; place >= 0; place--)
    from[place] = isIn.has(place) ? place : (from[place + 1] ?? -1)
  for (let place = 0; place <= size; place++) {
    upTo[place] = isIn.has(place) ? place : (upTo[place - 1] ?? -1)
    rank[place] = place === 0 ? 0 : (rank[place - 1] ?? 0) + (isIn.has(place - 1) ? 1 : 0)
  }
  return {
    first: values[0] ?? 0,
    last: values.at(-1) ?? 0,
    from: (place: number) => from[place] as number,
    upTo: (place: number) => upTo[place] as number,
    rank: (place: number) => rank[place] as number,
  }
}
