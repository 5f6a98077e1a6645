/**
 * Step 1 of the flow, when: a schedule comes in as the user wrote it, a sequence of ticks goes out.
 */

export type DurationUnit = 'ms' | 's' | 'm' | 'h' | 'd' | 'w'

/** A number of milliseconds, or text such as `'250ms'`, `'10s'`, `'15m'`, `'2h'`, `'1d'`, `'1w'`, `'1h30m'`. */
export type Duration =
  | number
  | `${number}${DurationUnit}`
  | `${number}${DurationUnit}${number}${DurationUnit}`
  | `${number}${DurationUnit}${number}${DurationUnit}${number}${DurationUnit}`

/** A `Date`, or ISO 8601 text with an offset or `Z`. */
export type Instant = Date | string

export interface CronSchedule {
  readonly cron: string
  /** IANA name. @default 'UTC' */
  readonly timezone?: string
}

export interface IntervalSchedule {
  readonly every: Duration
  /** Ticks are `anchor + n * every`. `'epoch'` aligns to the clock. @default the job's creation */
  readonly anchor?: Instant | 'epoch'
}

export interface FixedDelaySchedule {
  /** The pause between the end of one run and the next due instant. */
  readonly fixedDelay: Duration
}

export interface OnceSchedule {
  readonly at: Instant
}

/** When a job is due, as its user writes it. */
export type Schedule = CronSchedule | IntervalSchedule | FixedDelaySchedule | OnceSchedule

/** The same, checked and normalised: what is stored and evaluated. Instants and durations are milliseconds. */
export type ScheduleSpec =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'every'; readonly everyMs: number; readonly anchorAt: number }
  | { readonly kind: 'fixed_delay'; readonly delayMs: number }
  | { readonly kind: 'at'; readonly at: number }

/**
 * The nominal ticks of a schedule. All instants are UTC milliseconds; results strictly increase and every call ends.
 */
export interface TickSequence {
  /** The first tick strictly after `instant`, or null where there is none. */
  next(instant: number): number | null
  /** The last tick strictly before `instant`, or null. */
  previous(instant: number): number | null
  /** How many ticks lie in `[from, to)`, by arithmetic: no walk over the ticks themselves. */
  count(from: number, to: number): number
}
