/**
 * The drain of work that shares limits or takes turns, beside plain work in the same run: so many keys, each with as much to do.
 * Where no key is full it is the claim that costs; where most are, what waits is out of its way.
 */
import { defineJob, type JobOptions } from '../src/index.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { type EngineMeasure, interleave, medianOf, rate } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const rounds = 3
const count = 10_000
const slots = 50

interface Way {
  readonly name: string
  readonly keys: number
  readonly options: JobOptions
}

const perKey = (concurrency: number): JobOptions => ({ limits: [{ by: 'input.key', concurrency }] })

const plain: Way = { name: 'plain', keys: 1, options: {} }
const ways: readonly Way[] = [
  { name: 'under 1 key', keys: 1, options: perKey(slots) },
  { name: 'under 100 keys', keys: 100, options: perKey(1) },
  { name: 'under 10,000 keys', keys: 10_000, options: perKey(1) },
  { name: 'of 1,000 tenants in turn', keys: 1_000, options: { fairBy: 'input.key' } },
]

async function drainOnce(engine: Engine, { keys, options }: Way): Promise<number> {
  let ran = 0
  const finished = Promise.withResolvers<void>()
  const job = defineJob({ name: 'limited', ...options, run: () => {} })
  return await withEvertick(
    engine,
    { jobs: [job], queues: { default: { concurrency: slots } } },
    async (evertick) => {
      // The job itself is written at the start; nothing begins before.
      await evertick.queues.pause('default')
      await evertick.start()
      for (let made = 0; made < count; made += 1_000) {
        const items = Array.from({ length: 1_000 }, (_, n) => ({ job, input: { key: (made + n) % keys } }))
        await evertick.enqueueMany(items)
      }
      evertick.on('execution:completed', () => {
        ran += 1
        if (ran === count) finished.resolve()
      })
      const found = await rate(count, async () => {
        await evertick.queues.resume('default')
        await finished.promise
      })
      const audit = await evertick.audit()
      if (!audit.ok || ran !== count) throw new Error(`Limits: ${ran} of ${count} ran, audit ok: ${audit.ok}`)
      return found
    },
  )
}

export const limits: EngineMeasure = {
  name: 'limits',
  on: engineNames,
  async run({ engine, say }) {
    const all = Object.fromEntries([plain, ...ways].map((way) => [way.name, () => drainOnce(engine, way)]))
    say(`drain of ${count} under limits, concurrency ${slots}`)
    const found = await interleave(rounds, all, say)
    const base = medianOf(`drain ${count}, plain`, 'jobs/s', found[plain.name] ?? [])
    return [
      base,
      ...ways.map(({ name }) => {
        const figure = medianOf(`drain ${count}, ${name}`, 'jobs/s', found[name] ?? [])
        return { ...figure, against: 'plain', ratio: figure.value / base.value }
      }),
    ]
  },
}
