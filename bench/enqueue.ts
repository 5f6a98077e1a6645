/** Enqueue through the public library: one by one, by 50 callers at once, in bulk; each beside raw inserts. */
import { defineJob, type Evertick } from '../src/index.ts'
import { engineNames } from './engines/engine.ts'
import { besides, type EngineMeasure, interleave, rate } from './measure.ts'
import { withEvertick, withSchema } from './scratch-database.ts'

const rounds = 5
const callers = 50
const job = defineJob({ name: 'enqueue', run: () => {} })

async function oneByOne(evertick: Evertick, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await evertick.enqueue(job, { n })
}

async function concurrently(evertick: Evertick, count: number): Promise<void> {
  let n = 0
  const caller = async () => {
    while (n < count) await evertick.enqueue(job, { n: n++ })
  }
  await Promise.all(Array.from({ length: callers }, caller))
}

async function inBulk(evertick: Evertick, count: number, size: number): Promise<void> {
  for (let done = 0; done < count; done += size) {
    await evertick.enqueueMany(Array.from({ length: size }, (_, n) => ({ job, input: { n: done + n } })))
  }
}

const ways = [
  { name: 'enqueue one by one', count: 1_000, batch: 1, ours: oneByOne },
  { name: `enqueue by ${callers} callers`, count: 20_000, batch: callers, ours: concurrently },
  {
    name: 'enqueue in bulk of 1000',
    count: 50_000,
    batch: 1_000,
    ours: (evertick: Evertick, count: number) => inBulk(evertick, count, 1_000),
  },
] as const

export const enqueue: EngineMeasure = {
  name: 'enqueue',
  on: engineNames,
  async run({ engine, say }) {
    const results = []
    for (const { name, count, batch, ours } of ways) {
      say(name)
      const works = {
        ours: () =>
          withEvertick(engine, { jobs: [job] }, async (evertick) => {
            await oneByOne(evertick, 1)
            return await rate(count, () => ours(evertick, count))
          }),
        raw: () =>
          withSchema(engine, async ({ raw }) => {
            await raw.insert(1, 1)
            return await rate(count, () => raw.insert(count, batch))
          }),
      }
      const found = await interleave(rounds, works, say)
      results.push(...besides(name, 'jobs/s', found.ours, found.raw))
    }
    return results
  },
}
