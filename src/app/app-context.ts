/** What the use cases share. */
import type { Clock } from '../engine/clock.ts'
import type { Events } from '../engine/events.ts'
import type { Handler } from '../engine/worker/handler.ts'
import type { Store } from '../store/store.ts'
import type { NewId } from './ids.ts'

export interface AppContext {
  readonly nodeId: string
  readonly store: Store
  readonly clock: Clock
  readonly events: Events
  readonly timezone: string
  readonly newId: NewId
  /** A hint to this process's node, if it runs: look at once. */
  readonly jobChanged: () => void
  readonly enqueued: () => void
  /** This node can run what names this handler, from now on, with no job of that name; and no longer. */
  readonly setHandler: (handler: Handler) => Promise<void>
  readonly deleteHandler: (name: string) => Promise<void>
}
