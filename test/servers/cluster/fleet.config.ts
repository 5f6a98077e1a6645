/**
 * The configuration of the nodes that are killed and stopped. It is copied into their project, where the library is
 * called 'evertick'. Scheduled jobs are made by the test and name one of these as their handler.
 */
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineConfig, defineJob } from '../../../src/index.ts'

const { CLUSTER_DATABASE = '', CLUSTER_FOLDER = '' } = process.env

const retry = { attempts: 20, base: 50, factor: 1 } as const
const retention = { executions: 1_000_000 } as const

export default defineConfig({
  database: CLUSTER_DATABASE,
  leader: { lease: '2s', heartbeat: '600ms' },
  worker: { lease: '3s' },
  queues: { default: { concurrency: 10 }, orders: { concurrency: 5 } },
  catchUpRate: 200,
  jobs: [
    defineJob<{ number: number }>({
      name: 'order',
      queue: 'orders',
      retry,
      retention,
      async run(ctx) {
        await ctx.transaction(async (tx) => {
          await tx.sql`INSERT INTO orders (number, execution_id) VALUES (${ctx.input.number}, ${ctx.executionId})`
        })
      },
    }),
    defineJob({
      name: 'effect',
      queue: 'orders',
      retry,
      retention,
      async run(ctx) {
        appendFileSync(join(CLUSTER_FOLDER, 'effects'), `${ctx.executionId} ${ctx.attempt}\n`)
        await delay(1)
      },
    }),
    defineJob({ name: 'quick', run: () => {} }),
    defineJob({ name: 'short', run: async () => await delay(Math.random() * 20) }),
    // Now and then longer than the interval, so that its overlap policy has something to decide.
    defineJob({
      name: 'long',
      run: async (ctx) => await delay(Math.random() * 3_000, undefined, { signal: ctx.signal }),
    }),
    defineJob({
      name: 'booked',
      async run(ctx) {
        await ctx.transaction(async (tx) => {
          await tx.sql`INSERT INTO booked (execution_id) VALUES (${ctx.executionId})`
        })
      },
    }),
  ],
})
