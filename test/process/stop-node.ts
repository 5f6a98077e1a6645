/** A node that is asked to stop: quick work, work that waits for a file, and work that ignores its signal. */
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineJob, Evertick } from '../../src/index.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

interface StopConfig {
  readonly database: string
  readonly folder: string
  readonly concurrency: number
  /** `run()` minds the signals; or the program does, and gives running handlers this long. */
  readonly stopAfter?: '300ms'
  /** Asked to stop in the same turn in which it was asked to start. */
  readonly stopAtOnce?: true
}
const config = configured() as StopConfig

const evertick = await Evertick.open({
  database: config.database,
  queues: { default: { concurrency: config.concurrency } },
  logger: sayingLogger,
  jobs: [
    defineJob({
      name: 'quick',
      async run(ctx) {
        appendFileSync(join(config.folder, 'effects'), `${ctx.executionId}\n`)
        await delay(1)
      },
    }),
    defineJob({
      name: 'slow',
      async run(ctx) {
        say('slow', { executionId: ctx.executionId })
        while (!existsSync(join(config.folder, 'go'))) await delay(10)
        return 'finished'
      },
    }),
    defineJob({
      name: 'deaf',
      async run(ctx) {
        ctx.signal.addEventListener('abort', () => say('aborted', { executionId: ctx.executionId }))
        say('deaf', { executionId: ctx.executionId })
        await new Promise(() => {})
      },
    }),
    defineJob({ name: 'tick', schedule: { every: '1s' }, run: () => {} }),
  ],
})
sayEvents(evertick)

if (config.stopAtOnce) {
  const started = evertick.start().then(
    () => 'started',
    (error: { code?: string }) => error.code,
  )
  await evertick.stop()
  say('stopped', { started: await started })
} else if (config.stopAfter === undefined) {
  const signal = await evertick.run()
  say('stopped', { signal })
} else {
  await evertick.start()
  process.once('SIGTERM', () => {
    void evertick.stop({ timeout: config.stopAfter ?? 0 }).then(() => say('stopped'))
  })
}
// No process.exit: whatever keeps this process alive from here on is a leak.
