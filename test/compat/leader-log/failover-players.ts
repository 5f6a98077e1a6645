/** Two ways to lead in the same world: the document's to the letter, and the coordinator's. */
import type { CoordinatorConfig } from '../../../src/compat/leader-log/coordinator-options.ts'
import { wire } from '../../../src/compat/leader-log/leader-log-coordinator.ts'
import { LockSeat } from '../../../src/compat/leader-log/seat.ts'
import { SchedulerLeaderLogService } from '../../../src/index.ts'
import { keyOf, second, type Tick, ticksBetween } from './failover-world.ts'
import type { MortalProcess } from './mortal-process.ts'

export interface Player {
  stop(): Promise<void>
}

const heartbeatMs = 30 * second
const leaseMs = 90 * second
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** The real coordinator, on parts that may fail. */
export function coordinator(process: MortalProcess): Player {
  const { world, clock, takeLock, log } = process
  const put = (key: string, repeat: boolean) => process.call(() => world.push(key, repeat))
  const config: CoordinatorConfig<Tick> = {
    instanceId: process.name,
    heartbeatMs,
    leaseMs,
    graceMs: 300 * second,
    dedupeTtlMs: 86_400 * second,
    findMissedTasks: (from, to) => ticksBetween(from.getTime(), to.getTime()),
    enqueue: (_tick, { key, repeat }) => put(key, repeat),
    onElected: () => {},
    onLost: () => {},
    onRepaired: () => {},
    clock,
    logger: silent,
  }
  const marks = {
    claim: (mark: string, fence: number) => process.call(() => world.claim(mark, fence)),
    finish: (mark: string, fence: number) => process.call(() => world.finish(mark, fence)),
    purge: () => Promise.resolve(),
  }
  const seat = new LockSeat(log, takeLock, { instanceId: process.name, leaseMs, clock })
  const { leadership, once } = wire(config, {
    model: log,
    seat,
    takeLock,
    marks,
    close: () => Promise.resolve(),
  })
  const onTick = (tick: Tick) => {
    if (leadership.term === null) return
    const entered = once.enqueue(tick.taskId, tick.scheduleTime, ({ key, repeat }) => put(key, repeat))
    // The coordinator looks at it again by itself.
    entered.catch(() => {})
  }
  leadership.start()
  void process.watchTicks(onTick)
  return { stop: () => leadership.stop() }
}

/** The document's workflow: skip where the previous term had handled its gap, else begin at its effective end. */
export function literal(process: MortalProcess, rule: { readonly skips: boolean } = { skips: true }): Player {
  const { world, clock, takeLock, log } = process
  const service = new SchedulerLeaderLogService(log, { clock })
  const enqueue = async (tick: Tick) => {
    // "Store a unique task identifier": nobody said what becomes of it when the leader dies before it enqueues.
    const first = await process.call(() => world.claim(keyOf(tick), 0) === 'claimed')
    if (first) await process.call(() => world.push(keyOf(tick), false))
  }
  const running = { leads: false, stopping: new AbortController() }
  const lead = async () => {
    const grant = await takeLock('leader', leaseMs)
    if (grant === null) return
    const from = await service.getPreviousEffectiveEndTime()
    const skip = rule.skips && (await service.arePreviousMissedTasksHandled())
    const repairs = from !== null && !skip
    if (repairs) for (const tick of ticksBetween(from.getTime(), clock.now())) await enqueue(tick)
    const term = await service.insertNewLeaderTerm(process.name, repairs)
    running.leads = true
    while (!running.stopping.signal.aborted) {
      await clock.sleep(heartbeatMs, running.stopping.signal)
      if (running.stopping.signal.aborted) break
      await grant.lock.extend()
      await service.updateLastHeartbeat(term.id)
    }
    running.leads = false
    await service.setStopTime(term.id)
    await grant.lock.release()
  }
  const run = async () => {
    while (!running.stopping.signal.aborted) {
      await lead()
      await clock.sleep(heartbeatMs, running.stopping.signal)
    }
  }
  const done = run()
  void process.watchTicks((tick) => (running.leads ? enqueue(tick) : undefined))
  return {
    async stop() {
      running.stopping.abort()
      await done
    },
  }
}
