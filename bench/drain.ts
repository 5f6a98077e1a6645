/** A started node works off no-op executions, with history and fences; the audit is clean afterwards. */
import { defineJob } from '../src/index.ts'
import { besides, interleave, type Measure, rate } from './measure.ts'
import { RawExecutions } from './raw-executions.ts'
import { openRaw, withEvertick } from './scratch-database.ts'

const rounds = 5
const count = 20_000
const concurrency = 50
const rawBatch = 500

export async function drainOnce(): Promise<number> {
  let ran = 0
  let allRan = () => {}
  const finished = new Promise<void>((resolve) => {
    allRan = resolve
  })
  const job = defineJob({ name: 'drain', run: () => {} })
  return await withEvertick({ jobs: [job], queues: { default: { concurrency } } }, async (evertick) => {
    const items = Array.from({ length: count }, (_, n) => ({ job, input: { n } }))
    await evertick.enqueueMany(items)
    // Said after the commit: what counts is what is written.
    evertick.on('execution:completed', () => {
      ran += 1
      if (ran === count) allRan()
    })
    const found = await rate(count, async () => {
      await evertick.start()
      await finished
    })
    const { executions } = await evertick.metrics()
    const audit = await evertick.audit()
    if (!audit.ok || executions.completed !== count) {
      throw new Error(`Drain: ${executions.completed} of ${count} completed, audit ok: ${audit.ok}`)
    }
    return found
  })
}

async function rawOnce(): Promise<number> {
  return await withEvertick({}, async (_, path) => {
    const client = openRaw(path)
    const raw = new RawExecutions(client)
    raw.insert(count, 1_000)
    const found = await rate(count, () => raw.drain(rawBatch))
    client.close()
    return found
  })
}

export const drain: Measure = {
  name: 'drain',
  async run({ say }) {
    say(`drain of ${count}, concurrency ${concurrency}`)
    const found = await interleave(rounds, { ours: drainOnce, raw: rawOnce })
    return besides(`drain ${count}, concurrency ${concurrency}`, 'jobs/s', found.ours, found.raw)
  },
}
