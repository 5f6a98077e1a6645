/** A node with a handler that blocks its event loop after an await, until the watchdog has named it. */
import { setImmediate as turn } from 'node:timers/promises'
import { defineJob, Evertick } from '../../src/index.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

const { database } = configured() as { database: string }
const warnings: string[] = []
const over = Promise.withResolvers<void>()

const evertick = await Evertick.open({
  database,
  leader: { lease: '1s', heartbeat: '300ms' },
  logger: {
    ...sayingLogger,
    warn(message, details) {
      warnings.push(message)
      sayingLogger.warn(message, details)
    },
  },
  jobs: [
    defineJob({
      name: 'blocks',
      async run(ctx) {
        await turn()
        // Bounded, so that a watchdog that fails ends its test.
        for (let round = 0; warnings.length === 0 && round < 1e11; round += 1);
        over.resolve()
        return ctx.attempt === 1 && warnings.length > 0 ? 'told off' : 'unnoticed'
      },
    }),
    defineJob({
      name: 'waits',
      async run() {
        say('waits')
        await over.promise
      },
    }),
  ],
})
sayEvents(evertick)
await evertick.run()
