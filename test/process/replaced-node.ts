/** A node under load whose database file is taken away; after SIGUSR2 it says what became of what it asked for then. */
import { defineJob, Evertick, type EvertickError } from '../../src/index.ts'
import { configured, say, sayEvents, sayingLogger } from './said.ts'

const { database } = configured() as { database: string }

const evertick = await Evertick.open({
  database,
  leader: { lease: '1s', heartbeat: '300ms' },
  logger: sayingLogger,
  jobs: [
    defineJob({ name: 'work', run: () => 'done' }),
    defineJob({ name: 'tick', schedule: { every: '1s' }, run: () => {} }),
  ],
})
sayEvents(evertick)

const codeOf = (error: unknown) => (error as EvertickError).code
const enqueued = async () => await evertick.enqueue('work').then(() => 'acknowledged', codeOf)

/** Enqueues as fast as it is acknowledged, until it is refused. */
async function load(): Promise<void> {
  while ((await enqueued()) === 'acknowledged');
}

async function askAgain(): Promise<void> {
  const ends = await Promise.all(Array.from({ length: 100 }, enqueued))
  say('asked', { ends: [...new Set(ends)] })
}

process.on('SIGUSR2', () => void askAgain())

const ran = evertick.run()
await evertick.start()
for (let caller = 0; caller < 10; caller += 1) void load()
say('loading')
try {
  await ran
} catch (error) {
  const { code, message, next } = error as EvertickError
  say('ended', { code, message, next })
}
// No process.exit: whatever keeps this process alive from here on is a leak.
