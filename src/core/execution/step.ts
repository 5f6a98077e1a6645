/**
 * Within step 3 of the flow: the parts of an execution that are remembered by their names. A step has run, a wait was
 * answered, a sleep has its end: once that is written, no later attempt does it again.
 */
import { EvertickError } from '../error.ts'

export const stepKinds = ['step', 'sleep', 'wait'] as const
export type StepKind = (typeof stepKinds)[number]

export const stepOutcomes = ['done', 'slept', 'signalled', 'timed_out'] as const
export type StepOutcome = (typeof stepOutcomes)[number]

export interface Step {
  readonly name: string
  readonly kind: StepKind
  /** Of the claim that wrote it, and of which attempt; null where a signal came before its wait. */
  readonly fence: number | null
  readonly attempt: number | null
  /** How often its function was called. */
  readonly tries: number
  readonly begunAt: number
  /** Of a sleep its end, of a wait its timeout; null where it has none. */
  readonly endsAt: number | null
  /** Null while it is open. */
  readonly decidedAt: number | null
  readonly outcome: StepOutcome | null
  /** JSON. */
  readonly result: string | null
  /** Of the claim that gave up its slot for it; null where none did. */
  readonly restFence: number | null
  readonly signalId: string | null
  readonly signalledBy: string | null
}

/** Its end is written when a sleep begins, and time does the rest: nobody has to write that it is over. */
export function stepAt(step: Step, at: number): Step {
  const { kind, begunAt, endsAt, decidedAt } = step
  if (kind !== 'sleep' || decidedAt !== null || endsAt === null || endsAt > at) return step
  return { ...step, decidedAt: Math.max(begunAt, endsAt), outcome: 'slept' }
}

/** Sleeps and waits that an execution has given up its slot for, and the state that it is shown in meanwhile. */
export interface Rest {
  readonly state: 'sleeping' | 'waiting'
  readonly names: readonly string[]
}

/** What waits for a signal without a timeout is ready at the last instant that every language can read as ISO 8601. */
export const never = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

const longestName = 200

/** Steps, sleeps and waits share one set of names. */
export function refuseStepName(name: unknown): asserts name is string {
  if (typeof name === 'string' && name.trim() !== '' && name.length <= longestName) return
  throw new EvertickError(
    'invalid_option',
    `The name of a step, sleep or wait must be a text of 1 to ${longestName} characters.`,
    { field: 'name', next: "Give it a name that stays the same in every attempt: ctx.step('charge', …)." },
  )
}
