/**
 * Where among the executions, which only grow, an instant lies. Rows get their numbers in the order in which they are made, and their
 * instants nearly so: a search by halves on the primary key finds the place, and no index has to carry the instants.
 */
import { number } from './rows.ts'
import { row, type Script } from './script.ts'

/** Nodes estimate the database's time each a little differently, and a transaction may last. */
const disorderMs = 600_000

/** Each end by itself: asked for both at once, SQLite reads the whole table. */
const endsText =
  'SELECT (SELECT min(seq) FROM @job_executions) AS low, (SELECT max(seq) FROM @job_executions) AS high'
const atText = 'SELECT seq AS place, created_at FROM @job_executions WHERE seq >= ? ORDER BY seq LIMIT 1'

/** For the test that looks at their plans. */
export const seqAtTexts = [endsText, atText]

/** Rows made before `instant` lie below the second number, those made at it or later at or above the first. */
export interface Around {
  readonly surelyBelow: number
  readonly surelyAbove: number
}

export function* seqAround(instant: number): Script<Around> {
  return {
    surelyBelow: yield* firstAt(instant - disorderMs),
    surelyAbove: yield* firstAt(instant + disorderMs),
  }
}

/** The first number whose row was made at `instant` or later; one more than the last where there is none. */
function* firstAt(instant: number): Script<number> {
  const ends = yield* row(endsText)
  if (ends === null || ends.low === null) return 1
  let low = number(ends.low)
  let high = number(ends.high) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const next = yield* row(atText, middle)
    // Rows that retention removed are on neither side.
    if (next === null || number(next.created_at) >= instant) high = middle
    else low = number(next.place) + 1
  }
  return low
}
