/** Tasks every ten seconds, a queue that is a list, and a coordinator over them on a clock that is moved by hand. */
import { onTestFinished } from 'vitest'
import {
  LeaderLogCoordinator,
  type LeaderLogCoordinatorOptions,
  type MissedTask,
  type QueueEntry,
} from '../../../../src/index.ts'
import { ManualClock } from '../../../../src/testing/index.ts'
import { until } from '../../../process/until.ts'

const everyMs = 10_000
export const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function at(time: string): Date {
  return new Date(`2025-09-01T${time}Z`)
}

export class Tasks {
  readonly clock: ManualClock
  readonly queued: string[] = []
  readonly entries: QueueEntry[] = []

  constructor(time: string) {
    this.clock = new ManualClock(at(time))
  }

  /** Both included. */
  due = (from: Date, to: Date): MissedTask[] => {
    const tasks: MissedTask[] = []
    for (let time = Math.ceil(from.getTime() / everyMs) * everyMs; time <= to.getTime(); time += everyMs) {
      tasks.push({ taskId: 'mail', scheduleTime: new Date(time) })
    }
    return tasks
  }

  push = (entry: QueueEntry): void => {
    this.entries.push(entry)
    this.queued.push(entry.key.slice('mail:2025-09-01T'.length, -'.000Z'.length))
  }

  coordinator(options: Partial<LeaderLogCoordinatorOptions>): LeaderLogCoordinator {
    const coordinator = new LeaderLogCoordinator({
      clock: this.clock,
      logger: quiet,
      findMissedTasks: (from, to) => this.due(from, to),
      enqueue: (_task, entry) => this.push(entry),
      ...options,
    })
    onTestFinished(() => coordinator.stop())
    return coordinator
  }

  /** Lets the time come, with its heartbeats: the leader says each of them to the log. */
  async passUntil(time: string, leader: LeaderLogCoordinator, fire = true): Promise<void> {
    const end = at(time).getTime()
    while (this.clock.now() < end) {
      const from = this.clock.now() + 1
      this.clock.moveTo(Math.min(end, this.clock.now() + 30_000))
      for (const { taskId, scheduleTime } of this.due(new Date(from), new Date(this.clock.now()))) {
        if (fire) await leader.enqueueOnce(taskId, scheduleTime, this.push)
      }
      if (this.clock.now() === end) return
      const beatAt = this.clock.now()
      await until('a heartbeat', () => leader.currentTerm?.last_heartbeat?.getTime() === beatAt)
    }
  }
}

/** Waits until it leads and has handled what was missed before. */
export async function leads(
  coordinator: LeaderLogCoordinator,
  handled: () => Promise<boolean>,
): Promise<void> {
  await until('a leader', () => coordinator.isLeader)
  await until('its repair', handled)
}
