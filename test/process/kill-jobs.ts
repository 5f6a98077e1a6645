/** The jobs of the kill loop, as both sides know them: the node that is killed, and the producer that is not. */
import { defineJob } from '../../src/index.ts'

const retry = { attempts: 20, base: 50, factor: 1 } as const
const retention = { executions: 1_000_000 } as const

export const order = defineJob<{ number: number }>({ name: 'order', retry, retention })
export const effect = defineJob<{ number: number }>({ name: 'effect', retry, retention })
export const fast = defineJob({ name: 'fast', schedule: { every: '200ms' }, retry })
export const steady = defineJob({ name: 'steady', schedule: { every: '1s' }, overlap: 'skip', retry })
export const caughtUp = defineJob({
  name: 'caught-up',
  schedule: { cron: '* * * * * *' },
  catchUp: 'all',
  retry,
})

export const timing = {
  leader: { lease: '1s', heartbeat: '300ms' },
  worker: { lease: '1s' },
  catchUpRate: 100,
} as const
