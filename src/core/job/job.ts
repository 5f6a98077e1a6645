/**
 * A job as it is stored: its checked definition, and where its account stands.
 */
import type { ScheduleSpec } from '../schedule/schedule.ts'
import type { HandlerSpec } from './handler.ts'
import type { JobState } from './job-state.ts'
import type { StoredOptions } from './options.ts'

/** The definition of a job, checked and complete: every default is filled in. Stored as JSON, one per revision. */
export interface JobSpec extends StoredOptions {
  readonly schedule: ScheduleSpec | null
  readonly handler: HandlerSpec
  /** Given to the handler where a tick, not a caller, makes the execution. */
  readonly input: unknown
  /** JSON Schema of the input, where the code that defines the job knows it. */
  readonly inputSchema: Readonly<Record<string, unknown>> | null
}

export interface Pause {
  readonly at: number
  readonly until: number | null
  readonly reason: string | null
  readonly by: string
}

export interface Job {
  readonly id: string
  readonly name: string
  readonly spec: JobSpec
  readonly state: JobState
  /** Grows with every change that a scheduler's stale view must not survive. */
  readonly version: number
  /** Grows with every change of the definition. */
  readonly revision: number
  /** From where the current revision's ticks count. */
  readonly revisionFrom: number
  /** The cursor: 1 ms after the last instant settled. */
  readonly accountedUntil: number
  readonly ledgerFrom: number
  /** The time zone data that computed its last ticks. */
  readonly tzVersion: string
  /** The next instant at which a scheduler has something to decide; null where there is none. */
  readonly nextDueAt: number | null
  /** Of a fixedDelay job: its one open tick. */
  readonly openTickAt: number | null
  /** Executions made by ticks so far, for `maxRuns`. */
  readonly runs: number
  /** How many ticks in a row have gone before a ready catch-up. */
  readonly chainYields: number
  readonly pause: Pause | null
  readonly managedBy: string
  /** Hash of the last definition that the manager wrote. */
  readonly managedHash: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly deletedAt: number | null
}
