/** Counts what this node does, from its own events. The sum over all nodes is the cluster's. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from '../engine/clock.ts'
import type { EventMap, Events, ExecutionEvent } from '../engine/events.ts'
import type { Store } from '../store/store.ts'
import { JobLabel } from './job-label.ts'

const latenessBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3_600]
const durationBuckets = [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 1_800]

type Started = EventMap['execution:started']

/** Returns the function that stops counting. */
export function countEvents(
  registry: Registry,
  { events, clock, store }: { readonly events: Events; readonly clock: Clock; readonly store: Store },
): () => void {
  const registers = [registry]
  const jobs = new JobLabel()
  const ticks = new Counter({
    name: 'evertick_ticks_total',
    help: 'Ticks that this node accounted for while it led, by account and reason.',
    labelNames: ['account', 'reason'],
    registers,
  })
  const lateness = new Histogram({
    name: 'evertick_tick_lateness_seconds',
    help: 'From the instant of a tick to the start of its execution on this node.',
    labelNames: ['cause'],
    buckets: latenessBuckets,
    registers,
  })
  const executions = new Counter({
    name: 'evertick_executions_total',
    help: 'Attempts that ended on this node, by job and by what became of the execution.',
    labelNames: ['job', 'state'],
    registers,
  })
  const durations = new Histogram({
    name: 'evertick_execution_duration_seconds',
    help: 'How long completed attempts took on this node, by job.',
    labelNames: ['job'],
    buckets: durationBuckets,
    registers,
  })
  const expired = new Counter({
    name: 'evertick_leases_expired_total',
    help: 'Expired leases that this node reset while it led.',
    registers,
  })
  const leading = new Gauge({
    name: 'evertick_leading',
    help: '1 while this node leads.',
    registers,
  })
  const elections = new Counter({
    name: 'evertick_elections_total',
    help: 'How often this node was elected.',
    registers,
  })
  /**
   * A tick is late once: at its first start. An attempt that was given back, by a rest or a snooze, leaves its mark in the
   * history; a claim that was given back before it began leaves none. Only who was claimed before is looked up.
   */
  const observeLateness = async ({ executionId, cause, scheduledFor, fence }: Started) => {
    const lateMs = clock.now() - scheduledFor.getTime()
    const tried = fence === 1 ? [] : await store.executions.listAttempts(executionId)
    // Its own attempt may have ended by now.
    if (!tried.some((attempt) => attempt.fence < fence))
      lateness.observe({ cause }, Math.max(0, lateMs) / 1_000)
  }
  const ended = (state: string) => (event: ExecutionEvent) =>
    executions.inc({ job: jobs.of(event.job), state })
  const unsubscribers = [
    events.on('tick:accounted', ({ accounts }) => {
      for (const { account, reason, ticks: count } of accounts) {
        ticks.inc({ account, reason: reason ?? 'none' }, count)
      }
    }),
    events.on('execution:started', (event) => {
      if (event.attempt > 1 || (event.cause !== 'schedule' && event.cause !== 'catch_up')) return
      // Where the database does not answer, one figure is missing; the run itself reports what is wrong.
      observeLateness(event).catch(() => {})
    }),
    events.on('execution:completed', ({ job, durationMs }) => {
      executions.inc({ job: jobs.of(job), state: 'completed' })
      durations.observe({ job: jobs.of(job) }, Math.max(0, durationMs) / 1_000)
    }),
    events.on('execution:failed', ended('failed')),
    events.on('execution:retrying', (event) => ended(event.state)(event)),
    events.on('execution:cancelled', ended('cancelled')),
    events.on('execution:refused', ended('refused')),
    events.on('lease:expired', () => expired.inc()),
    events.on('leader:elected', () => {
      elections.inc()
      leading.set(1)
    }),
    events.on('leader:lost', () => leading.set(0)),
  ]
  return () => {
    for (const unsubscribe of unsubscribers) unsubscribe()
  }
}
