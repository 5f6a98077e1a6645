/** What a measure is, and the little statistics that all of them share. */

export interface Result {
  readonly name: string
  readonly engine: string
  readonly value: number
  readonly unit: string
  /** What `ratio` compares with, measured in the same run. */
  readonly against?: string
  readonly ratio?: number
  /** The lowest and highest round; for the table only. */
  readonly spread?: readonly [low: number, high: number]
}

export interface MeasureOptions {
  /** Also what takes minutes. */
  readonly large: boolean
  readonly say: (line: string) => void
}

export interface Measure {
  readonly name: string
  readonly run: (options: MeasureOptions) => Promise<Result[]>
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function spread(values: readonly number[]): [number, number] {
  return [quantile(values, 0), quantile(values, 1)]
}

/** Units done per second by `work`. */
export async function rate(units: number, work: () => unknown): Promise<number> {
  return (units * 1000) / (await elapsedMs(work))
}

export async function elapsedMs(work: () => unknown): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/**
 * Runs the named works in turn, several rounds, after one round that is not counted: a drift of the machine then hits
 * all of them alike, and only ratios within one run are worth anything.
 */
export async function interleave<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[]
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const value = await works[name]()
      if (round > 0) found[name].push(value)
    }
  }
  return found
}

/** One result for `ours`, with its ratio to `theirs`, and one for `theirs` itself. */
export function besides(
  name: string,
  unit: string,
  ours: readonly number[],
  theirs: readonly number[],
  against = 'raw',
): Result[] {
  const engine = 'sqlite'
  const value = median(ours)
  const limit = median(theirs)
  return [
    { name, engine, value, unit, against, ratio: value / limit, spread: spread(ours) },
    { name: `${name} (${against})`, engine, value: limit, unit, spread: spread(theirs) },
  ]
}
