/** What a planted bug would do to its users: in how many histories it breaks what was promised. */
import { type Campaign, runSeeds } from '../campaign/run-seeds.ts'
import { bugNamed } from './bugs.ts'

export interface Harm {
  readonly seeds: number
  /** Histories in which one of the bug's rules failed. */
  readonly broken: number
  /** Histories in which the lead passed on: a bug of failovers can do its harm only there. */
  readonly withFailover: number
}

export async function countHarm(name: string, campaign: Omit<Campaign, 'bug'>): Promise<Harm> {
  const { rules } = bugNamed(name)
  const harm = { seeds: 0, broken: 0, withFailover: 0 }
  await runSeeds({ ...campaign, bug: name }, ({ broken, tally }) => {
    harm.seeds += 1
    if (broken !== null && rules.includes(broken.rule)) harm.broken += 1
    if (tally.failovers > 0) harm.withFailover += 1
    return 'more'
  })
  return harm
}
