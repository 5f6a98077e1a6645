/** A ProcessingWorker in a process of its own, which books orders, and on its first attempt may hang before the commit. */
import { ProcessingWorker } from '../../src/index.ts'
import { configured, say, sayingLogger } from './said.ts'

interface Config {
  readonly database: string
  readonly workerId: string
  readonly leaseDurationSeconds: number
  /**
   * Where a job hangs: never, before its transaction, or in it, with its order inserted. A zombie hangs before it, and goes
   * on when it is told to stop.
   */
  readonly hang: 'never' | 'before' | 'inside' | 'zombie'
  /** A second worker of the same process. */
  readonly beside?: string
}

const { hang, beside, ...options } = configured() as Config
const forever = new Promise<never>(() => {})

const worker = new ProcessingWorker({
  ...options,
  pollIntervalMs: 200,
  logger: sayingLogger,
  async processJob(job) {
    say('started', { id: job.id, jobId: job.job_id, attempt: job.attempts })
    if (hang === 'before' || hang === 'zombie') {
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve, { once: true }))
      if (hang === 'before') job.signal.throwIfAborted()
    }
    await job.transaction(async (tx) => {
      await tx.sql`INSERT INTO orders (job_id, attempt) VALUES (${job.job_id}, ${job.attempts})`
      say('inserted', { id: job.id })
      if (hang === 'inside') await forever
    })
  },
})
worker.on('job:completed', ({ id, status }) => say('completed', { id, status }))
worker.on('job:failed', ({ id, status }, { message }) => say('failed', { id, status, message }))
await worker.start()
if (beside !== undefined) {
  const processJob = () => say('beside')
  await new ProcessingWorker({ ...options, workerId: beside, logger: sayingLogger, processJob }).start()
}
say('ready', { status: worker.getStatus() })
