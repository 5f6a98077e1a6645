/** What every part of a node is given. Nothing in the engine gets time, randomness or a database by itself. */
import type { ExecutionError } from '../core/execution/execution.ts'
import type { StepKind, StepOutcome } from '../core/execution/step.ts'
import type { ClaimedExecution, Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import type { Events } from './events.ts'
import type { Logger } from './logger.ts'

/** How an attempt ended, for whoever traces it. */
export interface AttemptEnd {
  readonly outcome: string
  readonly error: ExecutionError | null
}

/** Runs an attempt inside a span; the claim that it hands on carries that span. */
export type TraceAttempt = <Ran>(
  claim: ClaimedExecution,
  run: (claim: ClaimedExecution) => Promise<Ran>,
  endOf: (ran: Ran) => AttemptEnd,
) => Promise<Ran>

/** A sleep or a wait that is over, with its times as seen from now. */
export interface StepEnd {
  readonly name: string
  readonly kind: StepKind
  readonly outcome: StepOutcome
  readonly begunMsAgo: number
  readonly endedMsAgo: number
}

/** What an attempt tells of its steps, sleeps and waits to whoever traces it. */
export interface TraceSteps {
  /** Runs a step inside a span; `onTry` hears of each try as it begins, and `errorOf` says what may be shown of an error. */
  step<T>(
    name: string,
    run: (onTry: (tries: number) => void) => Promise<T>,
    errorOf: (thrown: unknown) => ExecutionError,
  ): Promise<T>
  ended(end: StepEnd): void
  /** What an earlier attempt has done was not done again. */
  remembered(name: string, kind: StepKind): void
}

/** What a watchdog hears while handlers run: beats, as long as the event loop goes round. */
export interface Pulse {
  beat(): void
  /** Nothing runs, so no beat is expected. */
  rest(): void
}

export interface EngineContext {
  readonly nodeId: string
  readonly store: Store
  readonly clock: Clock
  readonly events: Events
  readonly logger: Logger
  /** A number in [0, 1). */
  readonly random: () => number
  /** Calls back one turn of the event loop later. */
  readonly defer: (callback: () => void) => void
  /** A secret of the vault, as it is now. */
  readonly openSecret: (name: string) => Promise<string>
  /** Of a result, as JSON. */
  readonly maxPayloadBytes: number
  /** null where nobody traces. */
  readonly traceAttempt: TraceAttempt | null
  readonly traceSteps: TraceSteps | null
  /** null where nobody watches. */
  readonly pulse: Pulse | null
}
