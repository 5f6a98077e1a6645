/** Ticks of many jobs at one instant: how late their handlers are called, beside croner's, which keeps nothing. */
import { Cron } from 'croner'
import { defineJob } from '../src/index.ts'
import { copyJobs } from './fixture.ts'
import { type Measure, quantile, type Result } from './measure.ts'
import { openRaw, withEvertick } from './scratch-database.ts'

const concurrency = 100
/** Long enough to make the jobs, and to be elected, well before the instant. */
const leadMs = 10_000
const graceMs = 30_000

export async function evertickLateness(ticks: number): Promise<number[]> {
  const lateness: number[] = []
  let at = 0
  const job = defineJob({ name: 'tick', run: () => void lateness.push(Date.now() - at) })
  return await withEvertick({ jobs: [job], queues: { default: { concurrency } } }, async (evertick, path) => {
    at = wholeSecondAfter(leadMs)
    const schedule = { cron: cronAt(at), timezone: 'UTC' }
    const { id } = await evertick.jobs.create({ name: 'first', handler: 'tick', schedule })
    const client = openRaw(path)
    copyJobs(client, id, ticks - 1, () => at)
    client.close()
    await evertick.start()
    if (Date.now() > at - 3_000) throw new Error(`${ticks} jobs were not written in time`)
    await until(() => lateness.length >= ticks, at + graceMs)
    // A moment more, so that a tick that fires twice is seen.
    await sleep(200)
    const audit = await evertick.audit()
    if (lateness.length !== ticks || !audit.ok) {
      throw new Error(`${lateness.length} of ${ticks} ticks ran, audit ok: ${audit.ok}`)
    }
    const early = lateness.filter((late) => late < 0).length
    if (early > 0) throw new Error(`${early} of ${ticks} ticks were early`)
    return lateness
  })
}

async function cronerLateness(ticks: number): Promise<number[]> {
  const lateness: number[] = []
  const at = wholeSecondAfter(leadMs)
  const jobs = Array.from(
    { length: ticks },
    () => new Cron(cronAt(at), { timezone: 'UTC' }, () => void lateness.push(Date.now() - at)),
  )
  await until(() => lateness.length >= ticks, at + graceMs)
  for (const job of jobs) job.stop()
  if (lateness.length < ticks) throw new Error(`croner: ${lateness.length} of ${ticks} ticks ran`)
  return lateness
}

function wholeSecondAfter(lead: number): number {
  return Math.ceil((Date.now() + lead) / 1_000) * 1_000
}

function cronAt(at: number): string {
  const date = new Date(at)
  return `${date.getUTCSeconds()} ${date.getUTCMinutes()} ${date.getUTCHours()} * * *`
}

async function until(done: () => boolean, giveUpAt: number): Promise<void> {
  while (!done() && Date.now() < giveUpAt) await sleep(20)
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

export const lateness: Measure = {
  name: 'lateness',
  async run({ say }) {
    const results: Result[] = []
    for (const ticks of [1_000, 10_000] as const) {
      say(`${ticks} ticks at one instant: croner`)
      const theirs = await cronerLateness(ticks)
      say(`${ticks} ticks at one instant: evertick, concurrency ${concurrency}`)
      const ours = await evertickLateness(ticks)
      const worst = quantile(theirs, 1)
      for (const [label, share] of [
        ['p50', 0.5],
        ['p99', 0.99],
        ['max', 1],
      ] as const) {
        const value = quantile(ours, share)
        const name = `${ticks} ticks at one instant, ${label} late`
        results.push({
          name,
          engine: 'sqlite',
          value,
          unit: 'ms',
          against: 'croner max',
          ratio: value / worst,
        })
      }
      for (const [label, share] of [
        ['p50', 0.5],
        ['max', 1],
      ] as const) {
        const name = `${ticks} ticks at one instant, ${label} late (croner)`
        results.push({ name, engine: 'none', value: quantile(theirs, share), unit: 'ms' })
      }
    }
    return results
  },
}
