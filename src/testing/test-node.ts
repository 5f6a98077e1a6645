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
import { ManualClock } from './manual-clock.ts'
import { StoreWatch } from './store-watch.ts'

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
  const calls = new StoreWatch()
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
    untilIdle(calls, () =>
      calls.transactions > 0
        ? // It sleeps until its deadline, beside its handler; whatever else is asked of the store waits for it.
          evertick.running + calls.transactions <= clock.sleeping
        : calls.open === 0 && evertick.running <= clock.sleeping,
    )
  // If no other node can give this one work, time need not stop for its polls, unless their interval was set.
  const nextStop = async () =>
    options.worker?.poll === undefined && (await calls.isAlone(evertick.nodeId))
      ? clock.nextWorkAt()
      : clock.nextTimerAt()
  await evertick.start()
  await settle()

  const node: TestNode = {
    evertick,
    clock,
    settle,
    async advance(duration) {
      const until = clock.now() + parseDuration(duration, 'duration')
      await settle()
      for (let at = await nextStop(); at !== null && at <= until; at = await nextStop()) {
        // A pause with jitter may end within a millisecond, and a database takes whole ones only.
        clock.moveTo(Math.ceil(at))
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

async function untilIdle(calls: StoreWatch, idle: () => boolean): Promise<void> {
  const since = performance.now()
  for (let quiet = 0; quiet < 3; ) {
    // The disk takes longer than a turn of the event loop, and thousands of turns would only slow it down.
    await (calls.open > 0 && calls.transactions === 0 ? calls.news(patienceMs) : turn())
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
