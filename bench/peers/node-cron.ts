/** node-cron: timers in this process, nothing is kept. */
import { library } from './library.ts'
import type { TickScheduler } from './tick-scheduler.ts'

interface NodeCronLibrary {
  readonly schedule: (pattern: string, fired: () => void, options: NodeCronOptions) => Task
}
interface Task {
  destroy(): void | Promise<void>
}
interface NodeCronOptions {
  readonly timezone: string
  readonly logger: object
}

const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} }

export const nodeCron: TickScheduler = {
  name: 'node-cron, in process',
  library: 'node-cron',
  store: 'none',
  async schedule({ cron, ticks, fired }) {
    const { schedule } = await library<NodeCronLibrary>('node-cron')
    const options = { timezone: 'UTC', logger: silent }
    const tasks = Array.from({ length: ticks }, () => schedule(cron, fired, options))
    return {
      async stop() {
        for (const task of tasks) await task.destroy()
      },
    }
  },
}
