/** Instants and durations for people: relative and absolute, in one zone, which the headings name. */

export class Times {
  readonly timezone: string
  readonly #now: number
  readonly #plain: boolean
  readonly #format: Intl.DateTimeFormat

  /** `plain` gives ISO 8601, for programs. */
  constructor(timezone: string, now: number, plain: boolean) {
    this.timezone = timezone
    this.#now = now
    this.#plain = plain
    this.#format = localFormat(timezone)
  }

  /** "in 4 min, 14:05:00"; a dash for none. */
  both(at: Date | null): string {
    if (at === null) return this.#plain ? '' : '–'
    return this.#plain ? at.toISOString() : `${this.relative(at)}, ${this.at(at)}`
  }

  /** As short as possible: the time if it is today, otherwise with the date and without zero seconds. */
  at(at: Date): string {
    if (this.#plain) return at.toISOString()
    const [day = '', time = ''] = localText(this.#format, at)
    const [today = ''] = localText(this.#format, new Date(this.#now))
    return day === today ? time : `${day} ${time.replace(/:00$/, '')}`
  }

  /** "2026-11-16 14:05:00". */
  full(at: Date): string {
    return this.#plain ? at.toISOString() : localText(this.#format, at).join(' ')
  }

  relative(at: Date): string {
    return relativeWords(at.getTime() - this.#now)
  }

  /** "in 4 s", or if it is overdue: "when a worker is available". */
  next(at: Date): string {
    return at.getTime() > this.#now ? this.relative(at) : 'when a worker is available'
  }

  /** "14:05:00 to 14:09:00", with the date where the days differ. */
  span(from: Date, to: Date): string {
    return `${this.at(from)} to ${this.at(to)}`
  }
}

/** The zone of this machine. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone
}

export function localFormat(timezone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  })
}

/** Day and time, as in ISO 8601. */
export function localText(format: Intl.DateTimeFormat, at: Date): string[] {
  return format.format(at).split(' ')
}

/** "in 4 min", "2 h 5 min ago", "now". */
export function relativeWords(deltaMs: number): string {
  if (Math.abs(deltaMs) < 500) return 'now'
  const words = durationWords(Math.round(Math.abs(deltaMs) / 1000) * 1000)
  return deltaMs > 0 ? `in ${words}` : `${words} ago`
}

/** At most two units: "12 ms", "1.2 s", "3 min 4 s", "2 h 5 min", "3 d 4 h". */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000 && ms % 1_000 !== 0) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return twoUnits(seconds, 60, 'min', 1, 's')
  if (seconds < 2 * 86_400) return twoUnits(seconds, 3_600, 'h', 60, 'min')
  return twoUnits(seconds, 86_400, 'd', 3_600, 'h')
}

function twoUnits(
  seconds: number,
  large: number,
  largeName: string,
  small: number,
  smallName: string,
): string {
  const rest = Math.floor((seconds % large) / small)
  const first = `${Math.floor(seconds / large)} ${largeName}`
  return rest === 0 ? first : `${first} ${rest} ${smallName}`
}
