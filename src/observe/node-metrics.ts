/** The metrics of a node, as Prometheus reads them. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Clock } from '../engine/clock.ts'
import type { Events } from '../engine/events.ts'
import type { Store } from '../store/store.ts'
import { DatabaseMetrics } from './database-metrics.ts'
import { countEvents } from './event-metrics.ts'
import { countMeasures } from './measure-metrics.ts'
import type { Measures } from './measures.ts'

export interface Observed {
  readonly store: Store
  readonly clock: Clock
  readonly events: Events
  readonly measures: Measures
  readonly version: string
}

/** One registry for the process, however many nodes it has: the collector may watch garbage collection only once. */
let processRegistry: Registry | null = null

export class NodeMetrics {
  readonly registry = new Registry()
  readonly #database: DatabaseMetrics
  readonly #unsubscribers: readonly (() => void)[]

  constructor({ store, clock, events, measures, version }: Observed) {
    this.#unsubscribers = [
      countEvents(this.registry, { events, clock, store }),
      countMeasures(this.registry, measures, clock),
    ]
    this.#database = new DatabaseMetrics(this.registry, store, clock)
    const build = new Gauge({
      name: 'evertick_build_info',
      help: 'Always 1: the version, the Node that runs it and the kind of database are its labels.',
      labelNames: ['version', 'node', 'database'],
      registers: [this.registry],
    })
    build.set({ version, node: process.versions.node, database: store.dialect }, 1)
  }

  async text(): Promise<string> {
    await this.#database.refresh()
    return `${await this.registry.metrics()}\n${await ofProcess().metrics()}`
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribers) unsubscribe()
  }
}

function ofProcess(): Registry {
  if (processRegistry === null) {
    processRegistry = new Registry()
    collectDefaultMetrics({ register: processRegistry })
  }
  return processRegistry
}
