/**
 * The configuration of nodes that are stopped in the middle of their work and go on as if nothing had happened. It is
 * copied into their project, where the library is called 'evertick'. What they say is one more event on their output.
 */
import { setTimeout as delay } from 'node:timers/promises'
import * as mysql from 'mysql2/promise'
import pg from 'pg'
import { defineConfig, defineJob, type EvertickError, type JobContext } from '../../../src/index.ts'

const retry = { base: 50 } as const
let isArmed = false

export default defineConfig({
  database: process.env.CLUSTER_DATABASE ?? '',
  leader: { lease: '2s', heartbeat: '600ms' },
  worker: { lease: '3s' },
  jobs: [
    // Waits for its signal before it goes on.
    defineJob({
      name: 'obstinate',
      retry,
      async run(ctx) {
        if (ctx.attempt > 1) return 'second'
        say('holding', ctx)
        const aborted = new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()))
        while (!ctx.signal.aborted) await Promise.race([aborted, delay(1_000)])
        const { code } = ctx.signal.reason as EvertickError
        say('aborted', ctx, { code, write: await lateWrite(ctx) })
        return 'first'
      },
    }),
    // Does not look at its signal at all: it writes as soon as it is awake.
    defineJob({
      name: 'unaware',
      retry,
      async run(ctx) {
        if (ctx.attempt > 1) return await insertOrder(ctx)
        say('holding', ctx)
        let lookedAt = performance.now()
        // A look that comes late means that this process has slept.
        for (; performance.now() - lookedAt < 1_000; await delay(50)) lookedAt = performance.now()
        say('awake', ctx, { write: await lateWrite(ctx) })
      },
    }),
    // From the next tick on, this process stops itself while it holds the row by which leaders are elected.
    defineJob({
      name: 'arm',
      run(ctx) {
        // Where the process stopped before its end was written, it runs again, on a node that is to go on.
        isArmed = ctx.attempt === 1
      },
    }),
    defineJob({ name: 'tick', schedule: { every: '500ms' }, run: () => {} }),
    // Stops its own process between two statements of a transaction, with everything locked that it has touched.
    defineJob({
      name: 'midway',
      retry,
      async run(ctx) {
        await ctx.transaction(async (tx) => {
          await tx.sql`INSERT INTO orders (execution_id, pid) VALUES (${ctx.executionId}, ${process.pid})`
          if (ctx.attempt > 1) return
          say('stopping', ctx)
          process.kill(process.pid, 'SIGSTOP')
        })
      },
    }),
  ],
})

async function insertOrder(ctx: JobContext): Promise<void> {
  await ctx.transaction(async (tx) => {
    await tx.sql`INSERT INTO orders (execution_id, pid) VALUES (${ctx.executionId}, ${process.pid})`
  })
}

/** What a handler hears when it is no longer the holder. */
async function lateWrite(ctx: JobContext): Promise<string> {
  try {
    await insertOrder(ctx)
    return 'written'
  } catch (error) {
    return (error as EvertickError).code
  }
}

function say(event: string, { executionId }: JobContext, details: object = {}): void {
  process.stdout.write(`${JSON.stringify({ event, executionId, ...details })}\n`)
}

interface Client {
  query: (this: Client, ...args: unknown[]) => unknown
}

/** Under the drivers: after the leader's last statement, before it commits what it has decided. */
const { PromiseConnection } = mysql as unknown as { PromiseConnection: { prototype: Client } }
for (const { prototype } of [pg.Client, PromiseConnection] as { prototype: Client }[]) {
  const { query } = prototype
  prototype.query = function (...args) {
    const answer = query.apply(this, args)
    // Once: awake again, it is to go on.
    if (isArmed && /locks\b.*(?:FOR SHARE|LOCK IN SHARE MODE)/s.test(JSON.stringify(args[0]))) {
      isArmed = false
      void Promise.resolve(answer).then(() => process.kill(process.pid, 'SIGSTOP'))
    }
    return answer
  }
}
