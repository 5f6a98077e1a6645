/** Many seeds on all cores: each process is given the next seed as soon as it is done with one. */
import { availableParallelism } from 'node:os'
import type { Mode } from '../plan/plan.ts'
import { type SeedResult, SeedRunner } from './seed-runner.ts'

export interface Campaign {
  readonly from: number
  readonly seeds: number
  readonly mode: Mode
  /** Null leaves it to the machine. */
  readonly workers: number | null
  readonly bug: string | null
}

const mostWorkers = 8

/**
 * `hear` is told of each result, in the order in which they come, and says when there were enough. Seeds are handed out
 * in order and those begun are ended: the smallest seed of which something is true has always been heard.
 */
export async function runSeeds(
  campaign: Campaign,
  hear: (result: SeedResult) => 'more' | 'enough',
): Promise<void> {
  const { from, seeds, workers } = campaign
  let next = from
  let enough = false
  const take = () => (enough || next >= from + seeds ? null : next++)
  const work = async () => {
    try {
      await runTaken(campaign, take, (result) => {
        if (hear(result) === 'enough') enough = true
      })
    } catch (error) {
      enough = true
      throw error
    }
  }
  const count = Math.min(workers ?? Math.min(availableParallelism(), mostWorkers), seeds)
  const ended = await Promise.allSettled(Array.from({ length: count }, work))
  const failed = ended.find((one) => one.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function runTaken(
  { mode, bug }: Campaign,
  take: () => number | null,
  hear: (result: SeedResult) => void,
): Promise<void> {
  let runner: SeedRunner | null = null
  try {
    for (let seed = take(); seed !== null; seed = take()) {
      if (runner?.alive !== true) runner = await SeedRunner.start(bug)
      hear(await runner.run({ seed, mode }))
    }
  } finally {
    runner?.end()
  }
}
