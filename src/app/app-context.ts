/** The context that use cases share with the server, the command line and the facades of `compat/`. */

import type { Clock } from '../engine/clock.ts'
import type { Events } from '../engine/events.ts'
import type { Logger } from '../engine/logger.ts'
import type { Handler } from '../engine/worker/handler.ts'
import type { Slot } from '../engine/worker/slot.ts'
import type { Measures } from '../observe/measures.ts'
import type { MailServer } from '../outbound/mail.ts'
import type { Store } from '../store/store.ts'
import type { AnyJob } from './config/options.ts'
import type { NewId } from './ids.ts'
import type { Secrets } from './vault/secrets.ts'

export interface AppContext {
  readonly nodeId: string
  /** The host of this process. */
  readonly host: string
  readonly store: Store
  readonly clock: Clock
  readonly events: Events
  readonly measures: Measures
  readonly timezone: string
  /** The limit of an input, a result or metadata, as JSON. */
  readonly maxPayloadBytes: number
  /** Its URL, as it was given. */
  readonly database: string
  readonly logger: Logger
  /** Called and awaited before the node stops. Returns the function that unsubscribes. */
  readonly onStop: (close: () => Promise<void>) => () => void
  /** Rejects once this node has stopped because it could not go on. */
  readonly ended: Promise<never>
  /** Ends a slice of long work: everybody else has a turn before it goes on. */
  readonly rest: () => Promise<void>
  readonly newId: NewId
  /** What header values and variables of jobs are sealed with. */
  readonly secrets: Secrets
  /** Programs that this node may run. */
  readonly allowCommands: readonly string[]
  /** Names of variables that command jobs may set. */
  readonly allowCommandEnv: readonly string[]
  /** Hosts in private networks that calls may go to. */
  readonly allowPrivateHosts: readonly string[]
  /** By which mails go out; null: none do. */
  readonly smtp: MailServer | null
  /** The jobs that the code of this process defines, by name. */
  readonly defined: ReadonlyMap<string, AnyJob>
  /** A hint to this process's node, if it runs: look at once. */
  readonly jobChanged: () => void
  readonly enqueued: () => void
  /** Asked before an enqueue: a slot of this process's node, if that is idle. */
  readonly offerSlot: (queue: string) => Slot | null
  /** This node can run what names this handler, from now on, with no job of that name; and no longer. */
  readonly setHandler: (handler: Handler) => Promise<void>
  readonly deleteHandler: (name: string) => Promise<void>
  /** Whether this node, a worker, runs what names this handler. */
  readonly canRun: (handler: string) => boolean
}

const contexts = new WeakMap<object, AppContext>()

/** For those who are handed an `Evertick` by their user: a mount, a facade that shares a node. */
export function contextOf(evertick: object): AppContext {
  const context = contexts.get(evertick)
  if (context === undefined)
    throw new TypeError('This is not an Evertick that this copy of the library has opened.')
  return context
}

/** Called only by the code that opens an `Evertick`. */
export function keepContext(evertick: object, context: AppContext): void {
  contexts.set(evertick, context)
}
