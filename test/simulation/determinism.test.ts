import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { runHistory } from './campaign/run-seed.ts'
import { drawPlan } from './plan/draw-plan.ts'
import { drawSoak } from './plan/draw-soak.ts'
import type { Plan } from './plan/plan.ts'

const seeds = Array.from({ length: 4 }, (_, index) => index + 1)

/** Of a year, a day: what makes a history depend on more than its plan would show in them. */
const histories: readonly [string, Plan[]][] = [
  ['safety', seeds.map((seed) => drawPlan(seed, 'safety'))],
  ['liveness', seeds.map((seed) => drawPlan(seed, 'liveness'))],
  ['soak', [1, 2].map((seed) => drawSoak(seed, 1))],
]

async function traceHash(plan: Plan): Promise<string> {
  const hash = createHash('sha256')
  const { broken, tally } = await runHistory(plan, (atMs, line) => hash.update(`${atMs} ${line}\n`))
  return hash.update(JSON.stringify({ broken, tally })).digest('hex')
}

describe.each(histories)('a seed of %s', (_mode, plans) => {
  it('gives the same history each time, whatever was simulated before', { timeout: 120_000 }, async () => {
    const first = new Map<Plan, string>()
    for (const plan of plans) first.set(plan, await traceHash(plan))
    expect(new Set(first.values()).size).toBe(plans.length)
    // In another order: nothing of one history may be left in the next.
    for (const plan of plans.toReversed())
      expect({ seed: plan.seed, hash: await traceHash(plan) }).toEqual({
        seed: plan.seed,
        hash: first.get(plan),
      })
  })
})
