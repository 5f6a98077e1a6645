/** node-schedule: one timer for the next of all its jobs, in this process; nothing is kept. */
import { library } from './library.ts'
import type { TickScheduler } from './tick-scheduler.ts'

interface NodeScheduleLibrary {
  readonly scheduleJob: (spec: { rule: string; tz: string }, fired: () => void) => { cancel(): boolean }
}

export const nodeSchedule: TickScheduler = {
  name: 'node-schedule, in process',
  library: 'node-schedule',
  store: 'none',
  async schedule({ cron, ticks, fired }) {
    const { scheduleJob } = await library<NodeScheduleLibrary>('node-schedule')
    const jobs = Array.from({ length: ticks }, () => scheduleJob({ rule: cron, tz: 'UTC' }, fired))
    return {
      async stop() {
        // The latest first: it looks for each in a list sorted by time, and begins at its end.
        for (const job of jobs.toReversed()) job.cancel()
      },
    }
  },
}
