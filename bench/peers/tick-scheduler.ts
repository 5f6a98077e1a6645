/** What fires ticks by itself: a library's timers in this process, or its schedulers on a store. One adapter file each. */
import type { StoreName } from './contender.ts'

export interface TickScheduler {
  readonly name: string
  readonly library: string
  readonly store: StoreName | 'none'
  /** So many schedules that are due at the same instant. Resolves once all are made. */
  schedule(options: ScheduleOptions): Promise<Scheduled>
}

export interface ScheduleOptions {
  /** Six fields, in UTC. */
  readonly cron: string
  readonly ticks: number
  /** Of the store, where it has one. */
  readonly url: string
  readonly fired: () => void
}

export interface Scheduled {
  stop(): Promise<void>
}
