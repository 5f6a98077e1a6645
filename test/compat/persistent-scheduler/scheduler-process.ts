/** The page's basic usage as a process of its own, with a job every second. */
import { PersistentScheduler } from '../../../src/index.ts'
import { configured, say, sayingLogger } from '../../process/said.ts'

const { stateFile, task = 'quick' } = configured() as { stateFile: string; task?: 'quick' | 'hangs' }

const scheduler = new PersistentScheduler({ stateFile, logger: sayingLogger })
try {
  await scheduler.initialize()
} catch (error) {
  say('refused', { code: (error as { code?: string }).code })
  process.exit(3)
}
say('state', { known: [...scheduler.getAllJobStates().values()] })

await scheduler.schedule({
  name: 'every-second',
  schedule: '* * * * * *',
  maxMissedRuns: 1_000,
  task: async ({ scheduledFor, cause, attempt }) => {
    say('ran', { at: scheduledFor.toISOString(), cause, attempt })
    if (task === 'hangs' && attempt === 1) await new Promise(() => {})
  },
})
say('scheduled')

async function stop(): Promise<void> {
  await scheduler.shutdown()
  say('stopped')
  process.exit(0)
}

process.on('SIGINT', () => void stop())
