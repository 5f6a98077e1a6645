/** Limits over a cluster whose nodes are killed: what a witness outside of the database counts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../process/until.ts'
import { expectCleanAudit } from './checks.ts'
import { Cluster, type Ground } from './cluster.ts'

const customers = ['a', 'b', 'c', 'd'] as const
const most: Readonly<Record<string, number>> = { provider: 5, a: 2, b: 2, c: 2, d: 2 }
const callsPerRound = 120

/** Within the suite of an engine's cluster. */
export function testLimits(ground: () => Ground, kills: number): void {
  test(
    `five nodes, ${kills} kills: never more of a key run than its limit says, and all of it is done`,
    async () => {
      const cluster = await Cluster.open(ground(), 'limits.config.ts')
      onTestFinished(() => cluster.close())
      for (let count = 0; count < 5; count += 1) cluster.start('--json')
      await cluster.joined()
      const evertick = await cluster.producer()
      for (let round = 0; round <= kills; round += 1) {
        const before = await cluster.count(completed)
        const items = Array.from({ length: callsPerRound }, (_, index) => ({
          job: index % 5 === 4 ? 'plain' : 'call',
          input: { customer: customers[index % customers.length] },
        }))
        await evertick.enqueueMany(items)
        await until('some of it to be done', async () => (await cluster.count(completed)) > before + 20)
        if (round === kills) break
        // In turn also the one that leads.
        const victim = round % 2 === 0 ? await cluster.leader() : cluster.running()[round % 5]
        victim?.send('SIGKILL')
        await victim?.exited
        cluster.start('--json')
      }
      await cluster.settled()
      await cluster.stopAll()

      const seen = readFileSync(join(cluster.folder, 'seen'), 'utf8').trim().split('\n')
      const highest = new Map<string, number>()
      for (const [key = '', count] of seen.map((line) => line.split(' ')))
        highest.set(key, Math.max(highest.get(key) ?? 0, Number(count)))
      // As many as may, at some moment, and never one more.
      expect(Object.fromEntries(highest)).toEqual(most)
      expect(await cluster.count(completed)).toBe(callsPerRound * (kills + 1))
      expect(await cluster.count('@limit_leases')).toBe(0)
      expect(await expectCleanAudit(cluster, 2)).toMatchObject({ miscounted: 0 })
    },
    90_000 + kills * 30_000,
  )
}

const completed = `@job_executions WHERE state = 'completed'`
