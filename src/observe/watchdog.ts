/**
 * Names the handler that blocks the event loop while it does so: then nothing else of this process can, and one that loops
 * for ever would never be named afterwards. A thread notices that the beats of the loop have stopped.
 */
import { randomUUID } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Pulse } from '../engine/context.ts'
import type { Logger } from '../engine/logger.ts'

/** Longer than the loop of a node that works rests between two beats. */
const blockedMs = 2_000

export interface Watched {
  readonly beats: Int32Array<SharedArrayBuffer>
  readonly blockedMs: number
  /** The symbol of the function that is told, in this process's globals. */
  readonly key: string
}

/** What of `ctx` was found on the stack; undefined where the handler has taken it apart. */
type Blocking = { readonly job?: string; readonly executionId?: string } | undefined

export class Watchdog implements Pulse {
  readonly #beats = new Int32Array(new SharedArrayBuffer(4))
  readonly #key = `evertick.blocked.${randomUUID()}`
  readonly #logger: Logger
  #thread: Worker | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  start(): void {
    if (this.#thread !== null) return
    const logger = this.#logger
    const tell = (blocking: Blocking, at: string) => {
      const { job, executionId } = blocking ?? {}
      const whose = job === undefined ? 'Code' : `${job}, execution ${executionId},`
      // Where no handler is at it, it may be a machine that has no time for this process.
      logger[job === undefined ? 'info' : 'warn'](
        `${whose} has blocked the event loop for more than ${blockedMs / 1_000} s, at ${at}`,
        {
          ...(job === undefined ? {} : { job, executionId }),
          at,
          next: "Nothing else of this node goes on meanwhile. Await in between, or run it with isolate: 'thread'.",
        },
      )
    }
    Reflect.set(globalThis, Symbol.for(this.#key), tell)
    const file = new URL(
      import.meta.url.endsWith('.ts') ? './watch-thread.ts' : './watch-thread.js',
      import.meta.url,
    )
    const watched: Watched = { beats: this.#beats, blockedMs, key: this.#key }
    this.#thread = new Worker(file, { workerData: watched })
    // A node that cannot be watched works all the same.
    this.#thread.on('error', (error: unknown) =>
      logger.warn('The event loop is not watched any more', { error }),
    )
    this.#thread.unref()
  }

  beat(): void {
    Atomics.add(this.#beats, 0, 1)
    Atomics.notify(this.#beats, 0)
  }

  rest(): void {
    Atomics.store(this.#beats, 0, 0)
  }

  async close(): Promise<void> {
    Reflect.deleteProperty(globalThis, Symbol.for(this.#key))
    await this.#thread?.terminate()
  }
}
