/** Flows and batches: a thousand steps in ten layers, and ten thousand executions that one comes after; beside plain work. */
import { defineJob, type Evertick } from '../src/index.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { type EngineMeasure, interleave, medianOf, rate } from './measure.ts'
import { withEvertick } from './scratch-database.ts'

const rounds = 3
const concurrency = 50
const layers = 10
const width = 100
const fanIn = 10_000

const work = defineJob({ name: 'work', run: async () => 1 })
const last = defineJob({ name: 'last', run: async (ctx) => Object.keys(ctx.parents).length })

/** Each after two of the layer before it. */
function layered() {
  const steps = Array.from({ length: layers * width }, (_, index) => {
    const [layer, place] = [Math.floor(index / width), index % width]
    const after = layer === 0 ? [] : [place, (place + 1) % width].map((parent) => `${layer - 1}-${parent}`)
    return [`${layer}-${place}`, { job: work, after }] as const
  })
  return Object.fromEntries(steps)
}

function fannedIn() {
  const parents = Array.from({ length: fanIn }, (_, index) => `p${index}`)
  const steps = parents.map((name) => [name, { job: work }] as const)
  return { ...Object.fromEntries(steps), last: { job: last, after: parents } }
}

/** Executions a second, from the first start to the last end; what is enqueued is there before. */
async function drained(
  engine: Engine,
  count: number,
  enqueue: (evertick: Evertick) => Promise<unknown>,
): Promise<number> {
  let ended = 0
  const all = Promise.withResolvers<void>()
  const options = { jobs: [work, last], queues: { default: { concurrency } } }
  return await withEvertick(engine, options, async (evertick) => {
    await enqueue(evertick)
    evertick.on('execution:completed', () => {
      ended += 1
      if (ended === count) all.resolve()
    })
    return await rate(count, async () => {
      await evertick.start()
      await all.promise
    })
  })
}

const many = (count: number) => Array.from({ length: count }, () => ({ job: work }))

export const flows: EngineMeasure = {
  name: 'flows',
  on: engineNames,
  async run({ engine, say }) {
    const steps = layers * width
    say(`a flow of ${steps} steps, a fan-in of ${fanIn}`)
    const found = await interleave(
      rounds,
      {
        plain: () => drained(engine, steps, (evertick) => evertick.enqueueMany(many(steps))),
        flow: () => drained(engine, steps, (evertick) => evertick.flow({ steps: layered() })),
        fan: () => drained(engine, fanIn + 1, (evertick) => evertick.flow({ steps: fannedIn() })),
        batch: () =>
          drained(engine, fanIn + 1, (evertick) =>
            evertick.enqueueMany(many(fanIn), { batch: { onDone: last } }),
          ),
      },
      say,
    )
    return [
      medianOf(`${steps} steps of one flow, each after two`, 'executions/s', found.flow),
      medianOf(`${steps} plain executions`, 'executions/s', found.plain),
      medianOf(`a step after ${fanIn} others`, 'executions/s', found.fan),
      medianOf(`a batch of ${fanIn} with what follows`, 'executions/s', found.batch),
    ]
  },
}
