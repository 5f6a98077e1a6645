/** What every part of a node is given. Nothing in the engine gets time, randomness or a database by itself. */
import type { ExecutionError } from '../core/execution/execution.ts'
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
  /** Of a result, as JSON. */
  readonly maxPayloadBytes: number
  /** null where nobody traces. */
  readonly traceAttempt: TraceAttempt | null
  /** null where nobody watches. */
  readonly pulse: Pulse | null
}
