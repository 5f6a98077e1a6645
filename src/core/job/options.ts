/** Made of the table in fields.ts by `npm run generate`. */
import type { Bytes } from '../bytes.ts'
import type { Duration, Instant, Schedule } from '../schedule/schedule.ts'

export interface CatchUpOptions {
  /** Which missed ticks run. @default 'latest' */
  readonly policy?: 'none' | 'latest' | 'all'
  /** How many of the newest missed ticks run, with `all`. 1 to 1,000. @default 100 */
  readonly maxMissedRuns?: number
  /** Ticks missed longer ago than this do not run. @default no limit */
  readonly window?: Duration
  /** A tick that is late by no more than this counts as on time. @default '1m' */
  readonly grace?: Duration
}

export interface RetryOptions {
  /** How many times an execution is tried in total. 1 to 1,000. @default 3 */
  readonly attempts?: number
  /** The first back-off. @default '1s' */
  readonly base?: Duration
  /** Each back-off is this many times as long as the last. 1 to 100. @default 2 */
  readonly factor?: number
  /** The longest back-off. @default '1h' */
  readonly max?: Duration
  /** How much of the back-off is random. 0 to 1. @default 0 */
  readonly jitter?: number
}

export interface QuotaOptions {
  /** CPU time of all of its processes. @default no limit */
  readonly cpu?: Duration
  /** Resident memory of all of its processes, and the heap of an isolated handler. @default no limit */
  readonly memory?: Bytes
  /** How many processes it may be at once. 1 to 10,000. @default no limit */
  readonly processes?: number
  /** How much it may print. @default no limit */
  readonly output?: Bytes
}

export interface RetentionOptions {
  /** How many executions of the job are kept however old they are. 1 or more. @default 100 */
  readonly executions?: number
  /** How long executions are kept however many they are; at most the newest 10,000, or `executions` if that is more. @default '30d' */
  readonly age?: Duration
  /** How long failed executions are kept, where that is longer. @default like all others */
  readonly failed?: Duration
  /** How long the ledger says what became of each tick. @default '400d' */
  readonly ledger?: Duration
}

/** Everything about a job but its name, handler and input. */
export interface JobOptions {
  /** When the job is due. @default never by itself */
  readonly schedule?: Schedule
  /** What happens to missed ticks. @default 'latest' */
  readonly catchUp?: 'none' | 'latest' | 'all' | CatchUpOptions
  /** What happens to a tick while the previous run is still going. @default 'skip' */
  readonly overlap?: 'skip' | 'buffer_one' | 'buffer_all' | 'cancel_running' | 'allow'
  /** How many runs may go on at once; not with `allow`. 1 to 1,000. @default 1 */
  readonly maxConcurrent?: number
  /** What happens to an execution that fails. */
  readonly retry?: RetryOptions
  /** What a crashed attempt means: another try, or failure at once (at most once). @default 'retry' */
  readonly onCrash?: 'retry' | 'fail'
  /** An attempt that takes longer is aborted and counts as failed. @default none */
  readonly timeout?: Duration
  /** What an attempt of a command or an isolated handler may use; what uses more is ended. */
  readonly quota?: QuotaOptions
  /** An execution that has not started within this time is cancelled. @default none */
  readonly startDeadline?: Duration
  /** Ticks start up to this much later, always the same for the same tick. @default '0ms' */
  readonly jitter?: Duration
  /** Larger goes first. -1,000 to 1,000. @default 0 */
  readonly priority?: number
  /** Which queue its executions go to. @default 'default' */
  readonly queue?: string
  /** No ticks before this instant. @default none */
  readonly startAt?: Instant
  /** No ticks at or after this instant. @default none */
  readonly endAt?: Instant
  /** The schedule ends after this many runs. 1 or more. @default none */
  readonly maxRuns?: number
  /** How many executions are kept, and for how long; what became of their ticks is kept longer. */
  readonly retention?: RetentionOptions
  /** Labels to find it by. @default none */
  readonly tags?: readonly string[]
  /** What the job is for. @default none */
  readonly description?: string
  /** Stored with the job and given to its handler. @default none */
  readonly metadata?: Readonly<Record<string, unknown>>
}

export interface CatchUpSpec {
  readonly policy: 'none' | 'latest' | 'all'
  readonly maxMissedRuns: number
  readonly windowMs: number | null
  readonly graceMs: number
}

export interface RetrySpec {
  readonly attempts: number
  readonly baseMs: number
  readonly factor: number
  readonly maxMs: number
  readonly jitter: number
}

export interface QuotaSpec {
  readonly cpuMs: number | null
  readonly memory: number | null
  readonly processes: number | null
  readonly output: number | null
}

export interface RetentionSpec {
  readonly executions: number
  readonly ageMs: number
  readonly failedMs: number | null
  readonly ledgerMs: number
}

/** The same as they are stored: checked, and every default filled in. */
export interface StoredOptions {
  readonly catchUp: CatchUpSpec
  readonly overlap: 'skip' | 'buffer_one' | 'buffer_all' | 'cancel_running' | 'allow'
  readonly maxConcurrent: number
  readonly retry: RetrySpec
  readonly onCrash: 'retry' | 'fail'
  readonly timeoutMs: number | null
  readonly quota: QuotaSpec
  readonly startDeadlineMs: number | null
  readonly jitterMs: number
  readonly priority: number
  readonly queue: string
  readonly startAt: number | null
  readonly endAt: number | null
  readonly maxRuns: number | null
  readonly retention: RetentionSpec
  readonly tags: readonly string[]
  readonly description: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}

export interface CatchUpSettings {
  readonly policy: 'none' | 'latest' | 'all'
  readonly maxMissedRuns: number
  readonly window?: Duration
  readonly grace: Duration
}

export interface RetrySettings {
  readonly attempts: number
  readonly base: Duration
  readonly factor: number
  readonly max: Duration
  readonly jitter: number
}

export interface QuotaSettings {
  readonly cpu?: Duration
  readonly memory?: Bytes
  readonly processes?: number
  readonly output?: Bytes
}

export interface RetentionSettings {
  readonly executions: number
  readonly age: Duration
  readonly failed?: Duration
  readonly ledger: Duration
}

/** The same as a job shows them. Over REST an instant is text. */
export interface JobSettings<At = Date> {
  readonly catchUp: CatchUpSettings
  readonly overlap: 'skip' | 'buffer_one' | 'buffer_all' | 'cancel_running' | 'allow'
  readonly maxConcurrent: number
  readonly retry: RetrySettings
  readonly onCrash: 'retry' | 'fail'
  readonly timeout: Duration | null
  readonly quota: QuotaSettings
  readonly startDeadline: Duration | null
  readonly jitter: Duration
  readonly priority: number
  readonly queue: string
  readonly startAt: At | null
  readonly endAt: At | null
  readonly maxRuns: number | null
  readonly retention: RetentionSettings
  readonly tags: readonly string[]
  readonly description: string | null
  readonly metadata: Readonly<Record<string, unknown>>
}
