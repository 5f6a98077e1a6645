/** What every moving part of a node is given: nothing in the engine reaches for time, dice or a database by itself. */
import type { Store } from '../store/store.ts'
import type { Clock } from './clock.ts'
import type { Events } from './events.ts'
import type { Logger } from './logger.ts'

export interface EngineContext {
  readonly nodeId: string
  readonly store: Store
  readonly clock: Clock
  readonly events: Events
  readonly logger: Logger
  /** A number in [0, 1). */
  readonly random: () => number
}
