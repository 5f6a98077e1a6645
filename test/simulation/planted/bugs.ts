/**
 * Bugs that somebody might really write, each as a small patch of the product's source. A simulation that does not find
 * them has not earned trust.
 */
import { dependencyBugs } from './dependency-bugs.ts'
import { executionBugs } from './execution-bugs.ts'
import { groupBugs } from './group-bugs.ts'
import { jobBugs } from './job-bugs.ts'
import { keyBugs } from './key-bugs.ts'
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
  ...groupBugs,
  ...tickBugs,
  ...jobBugs,
  ...leaderBugs,
  ...noticeBugs,
  ...keyBugs,
  ...dependencyBugs,
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
