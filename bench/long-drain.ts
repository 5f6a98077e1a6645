/**
 * Ten minutes of work on PostgreSQL that never ends: what is done is enqueued anew. Each claim and each end leaves a dead
 * row, and autovacuum has to keep up with them.
 */
import { defineJob } from '../src/index.ts'
import type { Connection, Engine } from './engines/engine.ts'
import { type EngineMeasure, type Figure, sleep } from './measure.ts'
import { withConnection, withEvertick } from './scratch-database.ts'

const minutes = 10
const everyMs = 5_000
const backlog = 20_000
const concurrency = 50

interface Sample {
  readonly done: number
  readonly dead: number
  readonly bytes: number
}

async function sampleOf(connection: Connection, done: number): Promise<Sample> {
  const [found] = await connection.rows(
    `SELECT n_dead_tup AS dead, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables
     WHERE relname = 'live_executions'`,
  )
  return { done, dead: Number(found?.dead), bytes: Number(found?.bytes) }
}

async function samplesOf(engine: Engine, say: (line: string) => void): Promise<Sample[]> {
  let done = 0
  const job = defineJob({ name: 'drain', run: () => {} })
  const options = { jobs: [job], queues: { default: { concurrency } } }
  return await withEvertick(engine, options, (evertick, database) =>
    withConnection(database, async (connection) => {
      const enqueue = async (count: number) => {
        await evertick.enqueueMany(Array.from({ length: count }, (_, n) => ({ job, input: { n } })))
      }
      let refilling = Promise.resolve()
      evertick.on('execution:completed', () => {
        done += 1
        if (done % 1_000 === 0) refilling = refilling.then(() => enqueue(1_000))
      })
      await enqueue(backlog)
      await evertick.start()
      const samples: Sample[] = []
      for (let n = 0; n < (minutes * 60_000) / everyMs; n += 1) {
        await sleep(everyMs)
        samples.push(await sampleOf(connection, done))
        const { dead, bytes } = samples.at(-1) ?? { dead: 0, bytes: 0 }
        const told = `${done.toLocaleString('en')} done, ${dead.toLocaleString('en')} dead rows`
        if ((n + 1) % 12 === 0) say(`  minute ${(n + 1) / 12}: ${told}, ${(bytes / 1e6).toFixed(1)} MB`)
      }
      await refilling
      return samples
    }),
  )
}

function most(samples: readonly Sample[], of: 'dead' | 'bytes'): number {
  return Math.max(...samples.map((sample) => sample[of]))
}

export const longDrain: EngineMeasure = {
  name: 'long-drain',
  on: ['postgres'],
  async run({ engine, say }): Promise<Figure[]> {
    say(`drain for ${minutes} minutes, a backlog of ${backlog}`)
    const samples = await samplesOf(engine, say)
    const middle = samples.length / 2
    const [first, second] = [samples.slice(0, middle), samples.slice(middle)]
    const against = 'the first half'
    const beside = (name: string, unit: string, of: 'dead' | 'bytes', scale = 1): Figure => ({
      name: `${name}, most in the second half`,
      value: most(second, of) / scale,
      unit,
      against,
      ratio: most(second, of) / most(first, of),
    })
    const [from, to] = [samples[middle - 1]?.done ?? 0, samples.at(-1)?.done ?? 0]
    const rates = { first: from / (minutes * 30), second: (to - from) / (minutes * 30) }
    return [
      {
        name: `drain for ${minutes} minutes, second half`,
        value: rates.second,
        unit: 'jobs/s',
        against,
        ratio: rates.second / rates.first,
      },
      beside('dead rows of what is unfinished', 'rows', 'dead'),
      beside('table of what is unfinished, with its indexes', 'MB', 'bytes', 1e6),
    ]
  },
}
