/** Ticks of many schedules at one instant: how late the handlers are called, and how many are. */
import { cronAt, evertickLateness, leadMs, until, wholeSecondAfter } from '../../lateness.ts'
import { quantile, sleep } from '../../measure.ts'
import { bullmqSchedulers } from '../bullmq-schedulers.ts'
import type { StoreName } from '../contender.ts'
import { croner } from '../croner.ts'
import { within } from '../limits.ts'
import { nodeCron } from '../node-cron.ts'
import { nodeSchedule } from '../node-schedule.ts'
import type { Entry } from '../report/comparison.ts'
import { shares, tickWay } from '../report/ways.ts'
import type { Stores } from '../stores.ts'
import type { TickScheduler } from '../tick-scheduler.ts'
import { entryOf } from '../turns.ts'
import { counted, type PeerMeasure } from './measure.ts'

const schedulers: readonly TickScheduler[] = [croner, nodeCron, nodeSchedule, bullmqSchedulers]
/** For those that are still on their way after the instant. */
const graceMs = 30_000
const stopMs = 60_000

interface Racer {
  readonly who: string
  readonly library: string
  readonly store: StoreName | 'none'
  latenesses(ticks: number): Promise<number[]>
}

export const lateness: PeerMeasure = async ({ stores, contenders, sizes, say }) => {
  const racers: Racer[] = [
    ...contenders.map(({ name, library, store }) => ({
      who: name,
      library,
      store,
      latenesses: async (ticks: number) => await evertickLateness(await stores.engine(store), ticks),
    })),
    ...schedulers.map((scheduler) => racerOf(stores, scheduler)),
  ]
  const entries: Entry[] = []
  for (const ticks of sizes.ticks) entries.push(...(await race(racers, ticks, sizes.rounds, say)))
  return entries
}

function racerOf(stores: Stores, scheduler: TickScheduler): Racer {
  const { name, library, store } = scheduler
  return {
    who: name,
    library,
    store,
    async latenesses(ticks) {
      const scratch = store === 'none' ? null : await (await stores.get(store)).scratch()
      try {
        return await theirLatenesses(scheduler, ticks, scratch?.url ?? '')
      } finally {
        await scratch?.drop()
      }
    },
  }
}

async function theirLatenesses(scheduler: TickScheduler, ticks: number, url: string): Promise<number[]> {
  const found: number[] = []
  const at = wholeSecondAfter(leadMs(ticks))
  const fired = () => void found.push(Date.now() - at)
  const scheduled = await scheduler.schedule({ cron: cronAt(at), ticks, url, fired })
  const madeLateMs = Date.now() - at
  await until(() => found.length >= ticks, at + graceMs)
  // A moment more, so that one that fires twice is seen.
  await sleep(200)
  await within(stopMs, `stopping ${scheduler.name}`, scheduled.stop())
  if (madeLateMs > 0) throw new Error(`its ${ticks} schedules were made ${madeLateMs} ms too late`)
  return found
}

/** In turn, as elsewhere, but with no round that is not counted: each takes half a minute, nearly all of it a wait. */
async function race(
  racers: readonly Racer[],
  ticks: number,
  rounds: number,
  say: (line: string) => void,
): Promise<Entry[]> {
  const instant = counted(ticks, 'ticks at one instant')
  const found = new Map<string, number[][]>()
  const notes = new Map<string, string>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const racer of racers) {
      const { who } = racer
      const late = await racer.latenesses(ticks).catch((error: unknown) => {
        notes.set(who, `failed: ${error instanceof Error ? error.message : String(error)}`)
        return []
      })
      if (late.length > 0) found.set(who, [...(found.get(who) ?? []), late])
      if (late.length > 0 && late.length !== ticks) notes.set(who, `fired ${counted(late.length, 'ticks')}`)
      say(
        `${instant}, round ${round} of ${rounds}: ${who}, ${late.length} fired, max ${quantile(late, 1)} ms`,
      )
    }
  }
  return shares.flatMap(([label, share]) => {
    const way = { of: tickWay(ticks, label), unit: 'ms', better: 'less' } as const
    return racers.map((racer) => {
      const values = (found.get(racer.who) ?? []).map((late) => quantile(late, share))
      return entryOf(way, { ...racer, size: '' }, values, notes.get(racer.who))
    })
  })
}
