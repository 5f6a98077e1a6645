/** Gauges of the whole cluster, read from the database at a scrape: every node shows the same. */
import { Gauge, type Registry } from 'prom-client'
import type { Clock } from '../engine/clock.ts'
import type { Store } from '../store/store.ts'

/** Several scrapers within this time cost no more than one. */
const freshMs = 5_000

export class DatabaseMetrics {
  readonly #store: Store
  readonly #clock: Clock
  readonly #gauges: ReturnType<typeof gaugesIn>
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(registry: Registry, store: Store, clock: Clock) {
    this.#store = store
    this.#clock = clock
    this.#gauges = gaugesIn(registry)
  }

  /** Never throws: an unavailable database is also a figure. */
  async refresh(): Promise<void> {
    if (this.#clock.monotonic() - this.#readAt < freshMs) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null
    })
    await this.#reading
  }

  async #read(): Promise<void> {
    const gauges = this.#gauges
    try {
      const figures = await this.#figures()
      for (const gauge of Object.values(gauges)) gauge.reset()
      for (const [state, count] of Object.entries(figures.jobs)) gauges.jobs.set({ state }, count)
      for (const [health, count] of Object.entries(figures.health)) gauges.health.set({ health }, count)
      for (const queue of figures.queues) {
        for (const state of ['pending', 'running', 'blocked', 'sleeping', 'waiting'] as const)
          gauges.queues.set({ queue: queue.name, state }, queue[state])
      }
      for (const [state, count] of Object.entries(figures.alerts)) gauges.alerts.set({ state }, count)
      gauges.leases.set({ state: 'active' }, figures.active)
      gauges.leases.set({ state: 'expired' }, figures.expired)
      gauges.nodes.set(figures.nodes)
      gauges.term.set(figures.term)
      gauges.leaderless.set(figures.leaderlessMs / 1_000)
      gauges.lag.set(figures.lagMs / 1_000)
      gauges.up.set(1)
    } catch {
      // Old figures would look like new ones: they are removed, and `database_up` says why.
      for (const gauge of Object.values(gauges)) gauge.reset()
      gauges.up.set(0)
    }
    this.#readAt = this.#clock.monotonic()
  }

  async #figures() {
    const store = this.#store
    const now = this.#clock.now()
    const leader = await store.cluster.currentLeader()
    const [oldest] = (await store.ticks.findDueJobs(now, 1)).jobs
    return {
      jobs: await store.jobs.countJobs(),
      health: await store.jobs.countHealth(now),
      alerts: await store.alerts.countAlerts(now),
      queues: await store.cluster.listQueues(),
      active: (await store.executions.listLeases('active', now)).length,
      expired: (await store.executions.listLeases('expired', now)).length,
      nodes: (await store.cluster.listNodes()).length,
      term: leader?.termId ?? 0,
      leaderlessMs: leader === null ? 0 : Math.max(0, now - leader.expiresAt),
      lagMs: oldest === undefined ? 0 : Math.max(0, now - oldest.nextDueAt),
    }
  }
}

function gaugesIn(registry: Registry) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `evertick_${name}`, help, labelNames, registers: [registry] })
  return {
    up: gauge(
      'database_up',
      '1 if the database answered this scrape; otherwise the other gauges are missing.',
    ),
    jobs: gauge('jobs', 'Jobs, by state.', ['state']),
    health: gauge('jobs_health', 'Jobs, by health.', ['health']),
    alerts: gauge('alerts', 'Alerts that are not resolved, by state.', ['state']),
    queues: gauge('queue_executions', 'Unfinished executions, by queue and state.', ['queue', 'state']),
    leases: gauge('leases', 'Active and expired leases; each up to 1,000.', ['state']),
    nodes: gauge('nodes', 'Nodes that are registered.'),
    term: gauge('leader_term', 'The term of the current leader; 0 where there is none.'),
    leaderless: gauge('leader_gap_seconds', 'How long ago the last leader’s lease ended.'),
    lag: gauge('cursor_lag_seconds', 'How far the cursor that lags most is behind.'),
  }
}
