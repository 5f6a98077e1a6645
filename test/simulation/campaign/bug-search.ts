/** How soon the seeds find each planted bug. */
import { type PlantedBug, plantedBugs } from '../planted/bugs.ts'
import { type Campaign, runSeeds } from './run-seeds.ts'

export interface BugFound {
  readonly bug: string
  readonly says: string
  /** The first seed that broke one of the bug's own rules, and which; null where none did. */
  readonly seed: number | null
  readonly rule: string | null
  /** How many seeds were run for it. */
  readonly tried: number
  /** Rules broken before, that have nothing to do with the bug, or why it could not be planted. */
  readonly others: readonly string[]
}

export async function searchBugs(
  campaign: Omit<Campaign, 'bug'>,
  found: (bug: BugFound, done: number, total: number) => void,
): Promise<BugFound[]> {
  const all: BugFound[] = []
  for (const bug of plantedBugs) {
    const one = await searchBug(campaign, bug)
    all.push(one)
    found(one, all.length, plantedBugs.length)
  }
  return all
}

async function searchBug(
  campaign: Omit<Campaign, 'bug'>,
  { name, says, rules }: PlantedBug,
): Promise<BugFound> {
  const caught: { seed: number; rule: string }[] = []
  const others = new Set<string>()
  let tried = 0
  try {
    await runSeeds({ ...campaign, bug: name }, ({ seed, broken }) => {
      tried += 1
      if (broken === null) return 'more'
      if (!rules.includes(broken.rule)) {
        others.add(broken.rule)
        return 'more'
      }
      caught.push({ seed, rule: broken.rule })
      return 'enough'
    })
  } catch (error) {
    // Its patch no longer fits: the others can be searched all the same.
    others.add((error as Error).message)
  }
  const [first] = caught.toSorted((a, b) => a.seed - b.seed)
  return { bug: name, says, seed: first?.seed ?? null, rule: first?.rule ?? null, tried, others: [...others] }
}
