import { Cron } from 'croner'
import { cronSequence } from '../src/core/schedule/cron/cron-sequence.ts'
import { type Figure, median, type PlainMeasure } from './measure.ts'

const cases = [
  ['* * * * *', 'Europe/Madrid'],
  ['*/5 * * * *', 'America/New_York'],
  ['0 9 * * 1-5', 'Europe/Madrid'],
  ['30 2 * * *', 'Europe/Berlin'],
  ['0 0 1 * *', 'Asia/Kathmandu'],
  ['0 0 29 2 *', 'America/St_Johns'],
  ['*/10 * * * * *', 'Australia/Lord_Howe'],
] as const

const rounds = 5
/** Both begin anew after so many ticks: rare dates would else leave the years that have changes of the clock. */
const stretch = 50
const start = Date.UTC(2026, 0, 1)

/**
 * Next ticks per second, each found from the one before. Rounds of ours and croner's alternate in one process, so
 * that a drift of the machine hits both; the value is the median, the ratio that of the medians.
 */
export function cronBench(): Figure[] {
  return cases.map(([cron, timezone]) => {
    const sequence = cronSequence(cron, timezone)
    const croner = new Cron(cron, { timezone, paused: true })
    const ours = (steps: number) => {
      let tick = start
      for (let step = 0; step < steps; step++) {
        tick = step % stretch === 0 ? start : (sequence.next(tick) ?? start)
      }
    }
    const theirs = (steps: number) => {
      let tick = new Date(start)
      for (let step = 0; step < steps; step++) {
        tick = step % stretch === 0 ? new Date(start) : (croner.nextRun(tick) ?? new Date(start))
      }
    }
    ours(20_000)
    theirs(300)
    const oursRates: number[] = []
    const theirRates: number[] = []
    for (let round = 0; round < rounds; round++) {
      oursRates.push(rate(ours, 200_000))
      theirRates.push(rate(theirs, 1000))
    }
    const value = median(oursRates)
    const ratio = value / median(theirRates)
    return { name: `cron next: ${cron} ${timezone}`, value, unit: 'next/s', against: 'croner', ratio }
  })
}

function rate(work: (steps: number) => void, steps: number): number {
  const startedAt = performance.now()
  work(steps)
  return (steps * 1000) / (performance.now() - startedAt)
}

export const cron: PlainMeasure = {
  name: 'cron',
  on: 'none',
  async run({ say }) {
    say('cron next with a zone')
    return cronBench()
  },
}
