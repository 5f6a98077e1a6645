/** A node that is fed poison among good work: whatever a handler does, the others must be done. */
import { setTimeout as delay } from 'node:timers/promises'
import { defineJob, Evertick } from '../../src/index.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

const { database, lease } = configured() as { database: string; lease: '1s' | '2s' }

/** An error that bites whoever reads it. */
class Thorny extends Error {
  override get message(): string {
    throw new Error('do not touch')
  }
}

let readings = 0

const poisons = {
  exit: () => process.exit(1),
  block() {
    const blockedAt = performance.now()
    while (performance.now() - blockedAt < 3_000);
  },
  'throw-null': () => {
    // oxlint-disable-next-line typescript/only-throw-error
    throw null
  },
  'throw-thorny': () => {
    throw new Thorny()
  },
  'throw-in-transaction': (ctx: { transaction(fn: () => Promise<never>): Promise<never> }) =>
    ctx.transaction(() => {
      throw new Error('before the first await')
    }),
  circular() {
    const self: { self?: unknown } = {}
    self.self = self
    return self
  },
  bigint: () => ({ big: 1n }),
  // Can be written once, to see whether it can be written; not a second time.
  fickle: () => ({
    toJSON() {
      readings += 1
      if (readings % 2 === 0) throw new Error('not again')
      return 'once'
    },
  }),
} as const

const evertick = await Evertick.open({
  database,
  leader: { lease: '1s', heartbeat: '300ms' },
  worker: { lease },
  logger: sayingLogger,
  jobs: [
    defineJob<{ number: number }>({
      name: 'good',
      run: async (ctx) =>
        await ctx.transaction(async (tx) => {
          await tx.sql`INSERT INTO orders (number, execution_id) VALUES (${ctx.input.number}, ${ctx.executionId})`
          return 'good'
        }),
    }),
    ...Object.entries(poisons).map(([name, run]) => defineJob({ name, run })),
    // Ignores its signal, and rejects long after it has been given up.
    defineJob({
      name: 'late',
      timeout: '300ms',
      retry: { attempts: 1 },
      async run() {
        await delay(5_500)
        throw new Error('much too late')
      },
    }),
  ],
})
sayEvents(evertick)
await evertick.run()
say('stopped')
