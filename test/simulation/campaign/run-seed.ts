/** One history, and whatever escapes from it. */
import { drawPlan } from '../plan/draw-plan.ts'
import type { Mode, Plan } from '../plan/plan.ts'
import type { Say } from '../world/observer.ts'
import { runPlan } from '../world/run-plan.ts'
import type { Tally } from '../world/tally.ts'
import { type Broken, catchEscapes } from './escapes.ts'

export type { Broken } from './escapes.ts'

/** As it travels between processes. */
export interface Outcome {
  readonly broken: Broken | null
  readonly tally: Tally
}

export async function runHistory(plan: Plan, say: Say | null = null): Promise<Outcome> {
  const { ended, escaped } = await catchEscapes(() => runPlan(plan, say))
  const { violation, tally } = ended
  if (violation === null) return { broken: escaped, tally }
  const { rule, message, job } = violation
  return { broken: { rule, message, job }, tally }
}

export async function runSeed(seed: number, mode: Mode): Promise<Outcome> {
  return await runHistory(drawPlan(seed, mode))
}
