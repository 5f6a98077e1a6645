/** Ticks of many jobs at one instant: how late their handlers are called, beside croner's, which keeps nothing. */
import { Cron } from 'croner'
import { defineJob } from '../src/index.ts'
import { type Engine, engineNames } from './engines/engine.ts'
import { copyJobs } from './fixture.ts'
import { type EngineMeasure, type Figure, quantile, quantilesOf, sleep } from './measure.ts'
import { withConnection, withEvertick } from './scratch-database.ts'

export const tickConcurrency = 100
/** Long enough to make the jobs, and to be elected, well before the instant. */
export const leadMs = (ticks: number) => 10_000 + ticks
const graceMs = 30_000
const warmUps = 200
/** A node estimates a server's time; by its own clock, a tick may look this much early. */
const estimateMs = 5

export async function evertickLateness(engine: Engine, ticks: number): Promise<number[]> {
  const lateness: number[] = []
  let at = 0
  const job = defineJob({ name: 'tick', run: () => void lateness.push(Date.now() - at) })
  const options = { jobs: [job], queues: { default: { concurrency: tickConcurrency } } }
  return await withEvertick(engine, options, async (evertick, database) => {
    at = wholeSecondAfter(leadMs(ticks))
    const schedule = { cron: cronAt(at), timezone: 'UTC' }
    const { id } = await evertick.jobs.create({ name: 'first', handler: 'tick', schedule })
    await withConnection(database, (connection) => copyJobs(connection, id, ticks - 1, at))
    await evertick.start()
    // A node that has just started does not know yet how long its runs take, and claims nothing ahead of its slots.
    await evertick.enqueueMany(Array.from({ length: warmUps }, () => ({ job })))
    await until(() => lateness.length >= warmUps, at)
    lateness.length = 0
    if (Date.now() > at - 3_000) throw new Error(`${ticks} jobs were not written in time`)
    await until(() => lateness.length >= ticks, at + graceMs)
    // A moment more, so that a tick that fires twice is seen.
    await sleep(200)
    const audit = await evertick.audit()
    if (lateness.length !== ticks || !audit.ok) {
      throw new Error(`${lateness.length} of ${ticks} ticks ran, audit ok: ${audit.ok}`)
    }
    const tolerated = engine.name === 'sqlite' ? 0 : estimateMs
    const early = lateness.filter((late) => late < -tolerated).length
    if (early > 0) throw new Error(`${early} of ${ticks} ticks were early`)
    return lateness
  })
}

async function cronerLateness(ticks: number, say: (line: string) => void): Promise<number[]> {
  const lateness: number[] = []
  const at = wholeSecondAfter(leadMs(ticks))
  const jobs = Array.from(
    { length: ticks },
    () => new Cron(cronAt(at), { timezone: 'UTC' }, () => void lateness.push(Date.now() - at)),
  )
  await until(() => lateness.length >= ticks, at + graceMs / 3)
  for (const job of jobs) job.stop()
  // On a busy machine it has not made them all by then, and misses the instant.
  if (lateness.length < ticks) say(`  croner ran ${lateness.length} of ${ticks} ticks`)
  return lateness
}

export function wholeSecondAfter(lead: number): number {
  return Math.ceil((Date.now() + lead) / 1_000) * 1_000
}

export function cronAt(at: number): string {
  const date = new Date(at)
  return `${date.getUTCSeconds()} ${date.getUTCMinutes()} ${date.getUTCHours()} * * *`
}

export async function until(done: () => boolean, giveUpAt: number): Promise<void> {
  while (!done() && Date.now() < giveUpAt) await sleep(20)
}

export const lateness: EngineMeasure = {
  name: 'lateness',
  on: engineNames,
  async run({ engine, say }) {
    const results: Figure[] = []
    for (const ticks of [1_000, 10_000] as const) {
      const name = `${ticks} ticks at one instant`
      say(`${name}: croner`)
      const theirs = await cronerLateness(ticks, say)
      say(`${name}: evertick, concurrency ${tickConcurrency}`)
      const ours = await evertickLateness(engine, ticks)
      const worst = quantile(theirs, 1)
      const shares = [
        ['p50', 0.5],
        ['p99', 0.99],
        ['max', 1],
      ] as const
      results.push(
        ...quantilesOf(`${name}, late`, 'ms', ours, shares).map((figure) => ({
          ...figure,
          against: "croner's max",
          ratio: figure.value / worst,
        })),
        ...quantilesOf(`${name}, late (croner)`, 'ms', theirs, shares),
      )
    }
    return results
  },
}
