/**
 * Within step 3 of the flow: who is next in a queue in which keys take turns. Each execution of a key has the number of its
 * turn, and a key has one in each. What has no key is one key together.
 */

export interface Turns {
  /** The last turn that was claimed. */
  readonly turn: number
  /** The last one in which something without a key was. */
  readonly others: number
}

export const noTurns: Turns = { turn: 0, others: 0 }

/** Of one priority: what has no key beside what has, each in its order. Yields each with the turns after it. */
export function* inTurn<Next>(
  others: readonly Next[],
  keyed: readonly (readonly [next: Next, turn: number])[],
  from: Turns,
): Generator<readonly [next: Next, after: Turns]> {
  let turns = from
  let otherIndex = 0
  let keyedIndex = 0
  for (;;) {
    const other = others[otherIndex]
    const [next, turn = 0] = keyed[keyedIndex] ?? []
    if (other !== undefined && (next === undefined || turns.others < turn)) {
      otherIndex += 1
      if (next !== undefined) turns = { ...turns, others: turn }
      yield [other, turns]
    } else if (next !== undefined) {
      keyedIndex += 1
      turns = { ...turns, turn: Math.max(turns.turn, turn) }
      yield [next, turns]
    } else return
  }
}
