/**
 * Bugs that somebody might really write, each as a small patch of the product's source. A simulation that does not find
 * them has not earned trust.
 */
import { executionBugs } from './execution-bugs.ts'
import { jobBugs } from './job-bugs.ts'
import { leaderBugs } from './leader-bugs.ts'
import { noticeBugs } from './notice-bugs.ts'
import { ourOwnBugs } from './our-own-bugs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { stepBugs } from './step-bugs.ts'
import { tickBugs } from './tick-bugs.ts'

export type { Patch, PlantedBug } from './planted-bug.ts'

export const plantedBugs: readonly PlantedBug[] = [
  ...executionBugs,
  ...stepBugs,
  ...tickBugs,
  ...jobBugs,
  ...leaderBugs,
  ...noticeBugs,
]

/** Those that seeds are searched for, and those that regressions bring back. */
export const knownBugs: readonly PlantedBug[] = [...plantedBugs, ...ourOwnBugs]

export function bugNamed(name: string): PlantedBug {
  const found = knownBugs.find((bug) => bug.name === name)
  if (found !== undefined) return found
  throw new Error(
    `There is no planted bug "${name}"; there are ${knownBugs.map((bug) => bug.name).join(', ')}.`,
  )
}
