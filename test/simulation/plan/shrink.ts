/**
 * Makes a failing plan smaller: leaves out whatever it still fails without. Greedy, in large bites first; knows nothing
 * of the world but whether a plan fails.
 */
import { plainer, shortened, withoutJob, withoutNode } from './leave-out.ts'
import type { Plan, Step } from './plan.ts'

export interface ShrinkLimits {
  /** How many plans may be tried. @default 400 */
  readonly runs?: number
  /** Whether it has taken long enough. @default never */
  readonly enough?: () => boolean
  /** After each run. */
  readonly tried?: (runs: number, smallest: Plan) => void
}

export interface Shrunk {
  readonly plan: Plan
  readonly runs: number
  /** Whether nothing more can be left out; else the limits came first. */
  readonly smallest: boolean
}

const second = 1_000
/** Less of a plan throws all later dice anew: a race that is lost by that may be won by other dice. */
const rerolls = [1_000_003, 2_000_003]

export async function shrinkPlan(
  plan: Plan,
  fails: (plan: Plan) => Promise<boolean>,
  limits: ShrinkLimits = {},
): Promise<Shrunk> {
  const search = new Search(plan, fails, limits)
  let before: Plan
  do {
    before = search.plan
    await shorten(search)
    await leaveOutNodes(search)
    await leaveOutJobs(search)
    await leaveOutSteps(search)
    await makePlain(search)
  } while (search.plan !== before && !search.spent)
  return { plan: search.plan, runs: search.runs, smallest: !search.spent }
}

class Search {
  plan: Plan
  runs = 0
  readonly #fails: (plan: Plan) => Promise<boolean>
  readonly #limits: ShrinkLimits

  constructor(plan: Plan, fails: (plan: Plan) => Promise<boolean>, limits: ShrinkLimits) {
    this.plan = plan
    this.#fails = fails
    this.#limits = limits
  }

  get spent(): boolean {
    const { runs = 400, enough = () => false } = this.#limits
    return this.runs >= runs || enough()
  }

  /** Keeps the plan if it fails too. */
  async takes(smaller: Plan | null): Promise<boolean> {
    if (smaller === null || this.spent) return false
    this.runs += 1
    const taken = await this.#fails(smaller)
    if (taken) this.plan = smaller
    this.#limits.tried?.(this.runs, this.plan)
    return taken
  }

  /** Also by other dice: for what makes a story much shorter. */
  async takesByAnyDice(smaller: Plan | null): Promise<boolean> {
    if (await this.takes(smaller)) return true
    for (const reroll of rerolls)
      if (smaller !== null && (await this.takes({ ...smaller, seed: smaller.seed + reroll }))) return true
    return false
  }
}

/** A half, else a quarter less, else an eighth less. */
async function shorten(search: Search): Promise<void> {
  for (const share of [1 / 2, 3 / 4, 7 / 8]) {
    const seconds = () => Math.ceil((search.plan.durationMs * share) / second)
    while (await search.takes(shortened(search.plan, seconds() * second)));
  }
}

/** From the last on: the places of those before stay what they are. */
async function leaveOutNodes(search: Search): Promise<void> {
  for (let index = search.plan.nodes.length - 1; index >= 0; index -= 1)
    await search.takesByAnyDice(withoutNode(search.plan, index))
}

async function leaveOutJobs(search: Search): Promise<void> {
  for (const { name } of search.plan.jobs) await search.takesByAnyDice(withoutJob(search.plan, name))
}

/** In halves, quarters, and so on down to one by one; the latest first, which matter least. */
async function leaveOutSteps(search: Search): Promise<void> {
  for (let size = search.plan.steps.length; size >= 1; size = Math.floor(size / 2)) {
    for (let end = search.plan.steps.length; end > 0; end -= size) {
      const steps: readonly Step[] = search.plan.steps.toSpliced(Math.max(0, end - size), Math.min(size, end))
      await search.takes({ ...search.plan, steps })
    }
  }
}

/** What was tried in vain is not tried again in the same round, however the plan has changed meanwhile. */
async function makePlain(search: Search): Promise<void> {
  for (let index = 0; ; ) {
    const smaller = plainer(search.plan)[index]
    if (smaller === undefined || search.spent) return
    if (!(await search.takes(smaller))) index += 1
  }
}
