/** A started node works off no-op executions, with history and fences; the audit is clean afterwards. */
import { defineJob } from '../src/index.ts'
import { type Engine, engineNames, type ScratchDatabase } from './engines/engine.ts'
import { besides, type EngineMeasure, interleave, medianOf, rate } from './measure.ts'
import { withConnection, withEvertick, withSchema } from './scratch-database.ts'

const rounds = 5
const count = 20_000
const concurrency = 50
const otherConcurrencies = [10, 200]
/** What a busy worker writes at once. */
const rawBatch = 500

async function drainOnce(
  engine: Engine,
  slots = concurrency,
  afterwards: (database: ScratchDatabase) => Promise<void> = async () => {},
): Promise<number> {
  let ran = 0
  let allRan = () => {}
  const finished = new Promise<void>((resolve) => {
    allRan = resolve
  })
  const job = defineJob({ name: 'drain', run: () => {} })
  const options = { jobs: [job], queues: { default: { concurrency: slots } } }
  return await withEvertick(engine, options, async (evertick, database) => {
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
    await afterwards(database)
    return found
  })
}

/** With its share of the indexes. Only on PostgreSQL do finished executions have a table of their own to weigh. */
async function bytesPerExecution(engine: Engine): Promise<number> {
  let bytes = Number.NaN
  await drainOnce(engine, concurrency, (database) =>
    withConnection(database, async (connection) => {
      const text = "SELECT pg_total_relation_size('@finished_executions') AS bytes"
      bytes = Number((await connection.rows(text))[0]?.bytes)
    }),
  )
  return bytes / count
}

async function rawOnce(engine: Engine): Promise<number> {
  return await withSchema(engine, async ({ raw }) => {
    await raw.insert(count, 1_000)
    return await rate(count, () => raw.drain(rawBatch))
  })
}

export const drain: EngineMeasure = {
  name: 'drain',
  on: engineNames,
  async run({ engine, say }) {
    say(`drain of ${count}, concurrency ${concurrency}`)
    const found = await interleave(rounds, { ours: () => drainOnce(engine), raw: () => rawOnce(engine) }, say)
    const figures = besides(`drain ${count}, concurrency ${concurrency}`, 'jobs/s', found.ours, found.raw)
    for (const slots of otherConcurrencies) {
      say(`drain of ${count}, concurrency ${slots}`)
      const { ours } = await interleave(2, { ours: () => drainOnce(engine, slots) }, say)
      figures.push(medianOf(`drain ${count}, concurrency ${slots}`, 'jobs/s', ours))
    }
    if (engine.name === 'postgres') {
      say('size of a finished execution')
      const value = await bytesPerExecution(engine)
      figures.push({ name: 'size of a finished execution', value, unit: 'bytes' })
    }
    return figures
  },
}
