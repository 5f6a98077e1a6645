/** croner: timers in this process, nothing is kept. */
import { library } from './library.ts'
import type { TickScheduler } from './tick-scheduler.ts'

interface CronerLibrary {
  readonly Cron: new (pattern: string, options: { timezone: string }, fired: () => void) => { stop(): void }
}

export const croner: TickScheduler = {
  name: 'croner, in process',
  library: 'croner',
  store: 'none',
  async schedule({ cron, ticks, fired }) {
    const { Cron } = await library<CronerLibrary>('croner')
    const jobs = Array.from({ length: ticks }, () => new Cron(cron, { timezone: 'UTC' }, fired))
    return {
      async stop() {
        for (const job of jobs) job.stop()
      },
    }
  },
}
