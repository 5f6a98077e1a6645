/** Executions with steps, each step with its memo in the database before the next begins; on PostgreSQL beside DBOS. */
import { defineJob, type JobContext } from '../src/index.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { besides, type EngineMeasure, interleave, medianOf, rate } from './measure.ts'
import { openDbos } from './peers/dbos.ts'
import { installPeers } from './peers/install.ts'
import { withDatabase, withEvertick } from './scratch-database.ts'

const rounds = 3
const executions = 2_000
const stepsEach = 5
const concurrency = 50
const total = executions * stepsEach
const name = `steps, ${stepsEach} in each of ${executions} executions, concurrency ${concurrency}`

type Kind = 'plain' | 'transactional'

async function oneStep(ctx: JobContext, step: string, kind: Kind): Promise<unknown> {
  if (kind === 'plain') return await ctx.step(step, () => ctx.attempt)
  return await ctx.step(step, (tx) => tx.query('SELECT 1'), { transaction: true })
}

async function evertickSteps(engine: Engine, kind: Kind): Promise<number> {
  let ended = 0
  const all = Promise.withResolvers<void>()
  const job = defineJob({
    name: 'steps',
    async run(ctx) {
      for (let step = 0; step < stepsEach; step += 1) await oneStep(ctx, `s${step}`, kind)
    },
  })
  const options = { jobs: [job], queues: { default: { concurrency } } }
  return await withEvertick(engine, options, async (evertick) => {
    const enqueued = await evertick.enqueueMany(Array.from({ length: executions }, () => ({ job })))
    evertick.on('execution:completed', () => {
      ended += 1
      if (ended === executions) all.resolve()
    })
    const found = await rate(total, async () => {
      await evertick.start()
      await all.promise
    })
    const { steps } = await evertick.executions.get(enqueued.at(-1)?.id ?? '')
    if (steps?.length !== stepsEach) throw new Error(`${steps?.length} of ${stepsEach} steps are remembered`)
    return found
  })
}

async function dbosSteps(engine: Engine): Promise<number> {
  return await withDatabase(engine, async ({ url }) => {
    const workflows = await openDbos(url, stepsEach)
    try {
      let next = 0
      const caller = async () => {
        while (next < executions) await workflows.run(next++)
      }
      return await rate(total, () => Promise.all(Array.from({ length: concurrency }, caller)))
    } finally {
      await workflows.close()
    }
  })
}

export const steps: EngineMeasure = {
  name: 'steps',
  on: engineNames,
  async run({ engine, say }) {
    say(name)
    const ours = {
      plain: () => evertickSteps(engine, 'plain'),
      transactional: () => evertickSteps(engine, 'transactional'),
    }
    if (engine.name !== 'postgres') {
      const { plain, transactional } = await interleave(rounds, ours, say)
      return [
        medianOf(name, 'steps/s', plain),
        medianOf(`${name}, each in a transaction`, 'steps/s', transactional),
      ]
    }
    await installPeers(say)
    const found = await interleave(rounds, { ...ours, dbos: () => dbosSteps(engine) }, say)
    return [
      ...besides(name, 'steps/s', found.plain, found.dbos, 'DBOS'),
      medianOf(`${name}, each in a transaction`, 'steps/s', found.transactional),
    ]
  },
}
