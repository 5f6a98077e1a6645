/** One of several nodes on one file: orders under a unique key, a tick every 250 ms, and work that outlives its lease. */
import { setTimeout as delay } from 'node:timers/promises'
import { defineJob, Evertick, type EvertickError, type JobContext } from '../../src/index.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

interface FleetConfig {
  readonly database: string
  readonly leaderLease: '1s' | '5s' | '10m'
  readonly workerLease: '1s' | '5s'
}
const config = configured() as FleetConfig

async function insertOrder(ctx: JobContext, key: string): Promise<void> {
  await ctx.transaction(async (tx) => {
    await tx.sql`INSERT INTO orders (key, pid) VALUES (${key}, ${process.pid})`
  })
}

/** What a handler hears when it is no longer the holder. */
async function lateWrite(ctx: JobContext): Promise<string> {
  try {
    await insertOrder(ctx, ctx.executionId)
    return 'written'
  } catch (error) {
    return (error as EvertickError).code
  }
}

const evertick = await Evertick.open({
  database: config.database,
  leader: { lease: config.leaderLease, heartbeat: '300ms' },
  worker: { lease: config.workerLease },
  logger: sayingLogger,
  jobs: [
    defineJob<{ number: number }>({
      name: 'order',
      run: async (ctx) => await insertOrder(ctx, `order-${ctx.input.number}`),
    }),
    defineJob({
      name: 'beat',
      schedule: { every: '250ms' },
      overlap: 'allow',
      run: async (ctx) => await insertOrder(ctx, `beat-${ctx.scheduledFor.toISOString()}`),
    }),
    // The first holder waits for its signal and then goes on as if nothing had happened.
    defineJob({
      name: 'obstinate',
      retry: { base: 50 },
      async run(ctx) {
        if (ctx.attempt > 1) return 'second'
        say('holding', { executionId: ctx.executionId })
        const aborted = new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
        while (!ctx.signal.aborted) await Promise.race([aborted, delay(1_000)])
        const { code } = ctx.signal.reason as EvertickError
        say('aborted', { executionId: ctx.executionId, code, write: await lateWrite(ctx) })
        return 'first'
      },
    }),
    // The first holder does not look at its signal at all: it writes as soon as it is awake.
    defineJob({
      name: 'unaware',
      retry: { base: 50 },
      async run(ctx) {
        if (ctx.attempt > 1) {
          await insertOrder(ctx, ctx.executionId)
          return
        }
        say('holding', { executionId: ctx.executionId })
        const heldAt = performance.now()
        let lookedAt = heldAt
        // A look that comes late means that this process has slept.
        for (; performance.now() - lookedAt < 1_000; await delay(50)) lookedAt = performance.now()
        say('awake', { executionId: ctx.executionId, write: await lateWrite(ctx) })
      },
    }),
  ],
})
sayEvents(evertick)
await evertick.run()
say('stopped')
