/** The node of the kill loop: ticks of three kinds, orders through `ctx.transaction`, effects on an append-only file. */
import { appendFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Evertick } from '../../src/index.ts'
import { caughtUp, effect, fast, order, steady, timing } from './kill-jobs.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

const { database, effects } = configured() as { database: string; effects: string }

const evertick = await Evertick.open({
  database,
  ...timing,
  logger: sayingLogger,
  jobs: [
    order.handle(async (ctx) => {
      await ctx.transaction(async (tx) => {
        await tx.sql`INSERT INTO orders (number, execution_id) VALUES (${ctx.input.number}, ${ctx.executionId})`
      })
    }),
    effect.handle(async (ctx) => {
      appendFileSync(effects, `${ctx.executionId} ${ctx.attempt}\n`)
      await delay(1)
    }),
    fast.handle(() => {}),
    steady.handle(async () => await delay(30)),
    caughtUp.handle(async () => await delay(5)),
  ],
})
sayEvents(evertick)
await evertick.run()
say('stopped')
