/**
 * The writing verbs of the port, in scenes in which they meet: same job, same execution, same lock. A scene is built once
 * and put back before each run; each of its verbs then runs beside each other, and beside itself.
 */
import type { Store } from '../../src/store/store.ts'
import { type ByHand, byHand } from '../store/by-hand.ts'
import { checkInVerbs } from './check-in-scenes.ts'
import type { Name } from './conductor.ts'
import { accessVerbs, leaderVerbs, lockVerbs } from './keeper-scenes.ts'
import { stepVerbs } from './step-scenes.ts'
import { laneVerbs, tickVerbs } from './tick-scenes.ts'
import { reserveVerbs, workVerbs } from './work-scenes.ts'

/** One call, and what of its answer is a promise. `me` makes the two of a pair differ where two callers would. */
export type Verb = (store: Store, me: Name) => Promise<unknown>
export type Verbs = Readonly<Record<string, Verb>>
export type BuildScene = (hand: ByHand, store: Store) => Promise<Verbs>

const scenes: Readonly<Record<string, BuildScene>> = {
  work: workVerbs,
  reserve: reserveVerbs,
  steps: stepVerbs,
  'check-ins': checkInVerbs,
  ticks: tickVerbs,
  lane: laneVerbs,
  leader: leaderVerbs,
  locks: lockVerbs,
  access: accessVerbs,
}

export const sceneNames = Object.keys(scenes)

export async function buildScene(name: string, store: Store): Promise<Verbs> {
  const build = scenes[name]
  if (build === undefined) throw new Error(`There is no scene ${name}: one of ${sceneNames.join(', ')}.`)
  return await build(byHand(store), store)
}
