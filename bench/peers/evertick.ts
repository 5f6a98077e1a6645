/** Ours, over the public library and with its defaults: history, leases and fences are on. The audit is clean after each run. */
import { defineJob, Evertick } from '../../src/index.ts'
import { type EngineName, engineNames } from '../engines/engine.ts'
import { silent } from '../scratch-database.ts'
import { type Contender, jobName, measureNames, type OpenOptions, type OpenQueue } from './contender.ts'

const labels = { sqlite: 'SQLite', postgres: 'PostgreSQL', mysql: 'MariaDB' } as const

export const evertick: readonly Contender[] = engineNames.map((store: EngineName) => ({
  name: `Evertick, ${labels[store]}`,
  library: 'evertick',
  store,
  measures: measureNames,
  open: openEvertick,
}))

async function openEvertick({ url, concurrency }: OpenOptions): Promise<OpenQueue> {
  let called = (_: number) => {}
  const job = defineJob({ name: jobName, run: () => called(1) })
  const queues = { default: { concurrency } }
  const node = await Evertick.open({ database: url, logger: silent, migrate: true, jobs: [job], queues })
  let unfinished = 0
  // Said after the commit: what counts is what is written.
  node.on('execution:completed', () => {
    unfinished -= 1
  })
  return {
    async enqueue(n) {
      await node.enqueue(job, { n })
      unfinished += 1
    },
    async enqueueMany(numbers) {
      await node.enqueueMany(numbers.map((n) => ({ job, input: { n } })))
      unfinished += numbers.length
    },
    async work(calledWith) {
      called = calledWith
      await node.start()
    },
    unfinished: async () => unfinished,
    async close() {
      const { ok } = await node.audit()
      await node.stop()
      if (!ok) throw new Error('The audit found a problem after a run of ours')
    },
  }
}
