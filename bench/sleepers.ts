/** Many executions that sleep until one instant: how late they wake, beside as many ticks at one instant in the same run. */
import { defineJob } from '../src/index.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { evertickLateness, leadMs, tickConcurrency, until, wholeSecondAfter } from './lateness.ts'
import { type EngineMeasure, quantile, quantilesOf } from './measure.ts'
import { withConnection, withEvertick } from './scratch-database.ts'

const count = 10_000
/** To fall asleep takes a memo and an end of an attempt each. */
const leadTimes = 3
const graceMs = 60_000
const shares = [
  ['p50', 0.5],
  ['p99', 0.99],
  ['max', 1],
] as const

async function sleeperLateness(engine: Engine): Promise<number[]> {
  const lateness: number[] = []
  const at = wholeSecondAfter(leadTimes * leadMs(count))
  const job = defineJob({
    name: 'sleeper',
    async run(ctx) {
      await ctx.sleep('until', new Date(at))
      lateness.push(Date.now() - at)
    },
  })
  const options = { jobs: [job], queues: { default: { concurrency: tickConcurrency } } }
  return await withEvertick(engine, options, async (evertick, database) => {
    await evertick.start()
    for (let done = 0; done < count; done += 1_000)
      await evertick.enqueueMany(Array.from({ length: 1_000 }, () => ({ job })))
    const asleep = await withConnection(database, async (connection) => {
      const text = `SELECT count(*) AS n FROM @${connection.executions} WHERE state = 'retrying'`
      const sleeping = async () => Number((await connection.rows(text))[0]?.n)
      while ((await sleeping()) < count && Date.now() < at - 3_000)
        await new Promise((resolve) => setTimeout(resolve, 200))
      return await sleeping()
    })
    if (asleep < count) throw new Error(`${asleep} of ${count} were asleep in time`)
    await until(() => lateness.length >= count, at + graceMs)
    if (lateness.length !== count) throw new Error(`${lateness.length} of ${count} woke once`)
    return lateness
  })
}

export const sleepers: EngineMeasure = {
  name: 'sleepers',
  on: engineNames,
  async run({ engine, say }) {
    say(`${count} ticks at one instant, concurrency ${tickConcurrency}`)
    const ticks = await evertickLateness(engine, count)
    say(`${count} sleepers that wake at one instant`)
    const sleeping = await sleeperLateness(engine)
    return [
      ...quantilesOf(`${count} sleepers at one instant, late`, 'ms', sleeping, shares).map(
        (figure, index) => ({
          ...figure,
          against: 'ticks',
          ratio: figure.value / quantile(ticks, shares[index]?.[1] ?? 1),
        }),
      ),
      ...quantilesOf(`${count} sleepers at one instant, late (ticks)`, 'ms', ticks, shares),
    ]
  },
}
