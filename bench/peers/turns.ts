/** Runs contenders in turn, round after round; one that fails is told of, left out from then on, and harms no other. */
import { interleave, median, spread } from '../measure.ts'
import type { StoreName } from './contender.ts'
import { within } from './limits.ts'
import type { Entry } from './report/comparison.ts'

/** Above all that a contender is given to do; only what hangs comes here. */
const hangsAfterMs = 180_000

export interface Turn {
  readonly who: string
  readonly library: string
  readonly store: StoreName | 'none'
  /** How much it was given: `20,000 jobs`. */
  readonly size: string
  run(note: (text: string) => void): Promise<number>
}

export interface Way {
  /** What is compared: `drain, concurrency 50`. */
  readonly of: string
  readonly unit: string
  readonly better: 'more' | 'less'
}

export async function inTurn(
  way: Way,
  turns: readonly Turn[],
  rounds: number,
  say: (line: string) => void,
): Promise<Entry[]> {
  say(way.of)
  const notes = new Map<string, string>()
  const failed = new Set<string>()
  const works = Object.fromEntries(
    turns.map((turn) => [
      turn.who,
      async () => {
        if (failed.has(turn.who)) return Number.NaN
        try {
          return await within(
            hangsAfterMs,
            turn.who,
            turn.run((text) => notes.set(turn.who, text)),
          )
        } catch (error) {
          failed.add(turn.who)
          notes.set(turn.who, `failed: ${error instanceof Error ? error.message : String(error)}`)
          say(
            `  ${turn.who} failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
          )
          return Number.NaN
        }
      },
    ]),
  )
  const found = await interleave(rounds, works, say)
  return turns.map((turn) => entryOf(way, turn, found[turn.who] ?? [], notes.get(turn.who)))
}

export function entryOf(
  way: Way,
  { who, library, store, size }: Omit<Turn, 'run'>,
  rounds: readonly number[],
  note: string | undefined,
): Entry {
  const values = rounds.filter(Number.isFinite)
  const about = { ...way, who, library, store, size, ...(note === undefined ? {} : { note }) }
  if (values.length === 0) return { ...about, value: null, low: null, high: null }
  const [low, high] = spread(values)
  return { ...about, value: median(values), low, high }
}
