/** A node on a manual clock: advance it a week, then look at the ticks and executions. Nothing sleeps. */

import type { EvertickOptions } from '../app/config/options.ts'
import type { ExplainedTickView } from '../app/job/explain.ts'
import type { ExecutionView } from '../app/views.ts'
import { EvertickError } from '../core/error.ts'
import { parseDuration } from '../core/schedule/duration.ts'
import { parseInstant } from '../core/schedule/instant.ts'
import type { Duration, Instant } from '../core/schedule/schedule.ts'
import type { JobReference } from '../engine/worker/handler.ts'
import { Evertick } from '../evertick.ts'
import type { Store } from '../store/store.ts'
import { wrapVerbs } from '../store/wrap-store.ts'
import { ManualClock } from './manual-clock.ts'

export interface TestNodeOptions extends Partial<Omit<EvertickOptions, 'clock'>> {
  /** What the clock shows at first. @default 2026-01-01T00:00:00Z */
  readonly start?: Instant
  /** A clock to share with another node. @default one of its own */
  readonly clock?: ManualClock
}

export interface TestNode {
  readonly evertick: Evertick
  readonly clock: ManualClock
  /** Lets time pass: runs what falls due, in order, and resolves when nothing is left to do. */
  advance(duration: Duration): Promise<void>
  /** Waits until nothing is under way, without moving the clock. */
  settle(): Promise<void>
  /** Every tick of the job so far, oldest first. */
  ticks(job: JobReference): Promise<readonly ExplainedTickView[]>
  /** Every execution of the job, oldest first. */
  executions(job: JobReference): Promise<ExecutionView[]>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A handler that waits for the outside world is given this long, in real time. */
const patienceMs = 10_000

export async function openTestNode(options: TestNodeOptions = {}): Promise<TestNode> {
  const {
    start = '2026-01-01T00:00:00Z',
    clock = new ManualClock(parseInstant(start, 'start')),
    ...rest
  } = options
  // Nobody else can give this node anything to do, so that time need not stop for its looks whether somebody has.
  const alone = options.clock === undefined && options.database === undefined
  const nextStop = () => (alone ? clock.nextWorkAt() : clock.nextTimerAt())
  const calls = new CallCounter()
  const evertick = await Evertick.openWith(
    {
      database: 'sqlite::memory:',
      // No other node is there to take over, so a virtual week need not be full of heartbeats.
      leader: { lease: '12h', heartbeat: '3h' },
      ...rest,
      clock,
    },
    { wrap: (store) => calls.watch(store) },
  )
  const settle = () =>
    untilIdle(() =>
      calls.transactions > 0
        ? // It sleeps until its deadline, beside its handler; whatever else is asked of the store waits for it.
          evertick.running + calls.transactions <= clock.sleeping
        : calls.open === 0 && evertick.running <= clock.sleeping,
    )
  await evertick.start()
  await settle()

  const node: TestNode = {
    evertick,
    clock,
    settle,
    async advance(duration) {
      const until = clock.now() + parseDuration(duration, 'duration')
      await settle()
      for (let at = nextStop(); at !== null && at <= until; at = nextStop()) {
        clock.moveTo(at)
        await settle()
      }
      clock.moveTo(until)
      await settle()
    },
    async ticks(job) {
      const { createdAt, name } = await evertick.jobs.get(nameOf(job))
      const span = {
        from: new Date(Math.min(createdAt.getTime(), clock.now())),
        to: new Date(clock.now() + 1),
        limit: 1_000_000,
      }
      return (await evertick.jobs.explain(name, span)).ticks
    },
    async executions(job) {
      const { executions } = await evertick.executions.list({ job: nameOf(job), limit: 1_000_000 })
      return executions.toReversed()
    },
    async stop() {
      const stopped = evertick.stop({ timeout: 0 })
      const done = new AbortController()
      void stopped.finally(() => done.abort())
      // Stopping waits on the clock for handlers that ignore their signal, or that were claimed a moment early.
      for (let quiet = 0; !done.signal.aborted; ) {
        await turn()
        quiet = calls.open === 0 ? quiet + 1 : 0
        const at = clock.nextTimerAt()
        if (done.signal.aborted || at === null || quiet < 3) continue
        clock.moveTo(at)
        quiet = 0
      }
      await stopped
    },
    [Symbol.asyncDispose]: () => node.stop(),
  }
  return node
}

function nameOf(job: JobReference): string {
  return typeof job === 'string' ? job : job.name
}

/** Counts the calls to the store that have not been answered. */
class CallCounter {
  open = 0
  /** Those of them that are a handler's own transaction. */
  transactions = 0

  watch(store: Store): Store {
    return wrapVerbs(store, async ({ verb, run }) => {
      const transactions = verb === 'completeWithin' ? 1 : 0
      this.open += 1
      this.transactions += transactions
      try {
        return await run()
      } finally {
        this.open -= 1
        this.transactions -= transactions
      }
    })
  }
}

async function untilIdle(idle: () => boolean): Promise<void> {
  const since = performance.now()
  for (let quiet = 0; quiet < 3; ) {
    await turn()
    quiet = idle() ? quiet + 1 : 0
    if (quiet === 0 && performance.now() - since > patienceMs) {
      throw new EvertickError('timeout', 'A handler is still under way after 10 s of real time.', {
        next: 'Let it wait on the test node’s clock (clock.sleep), or stub what it waits for.',
      })
    }
  }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
