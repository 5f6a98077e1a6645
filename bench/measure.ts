/** What a measure is, and the little statistics that all of them share. */
import type { Engine, EngineName } from './engines/engine.ts'

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** What `ratio` compares with, measured in the same run. */
  readonly against?: string
  readonly ratio?: number
  /** The lowest and highest round; for people only. */
  readonly spread?: readonly [low: number, high: number]
}

/** A figure, by whom and on what it was taken. */
export interface Result extends Figure {
  /** Redis only beside other schedulers: ours keeps nothing there. */
  readonly engine: EngineName | 'redis' | 'none'
  /** The name to give to `--only` to take it again. */
  readonly measure: string
}

export interface MeasureOptions {
  /** Also what takes minutes. */
  readonly large: boolean
  readonly say: (line: string) => void
}

export interface EngineOptions extends MeasureOptions {
  readonly engine: Engine
}

/** Runs once for each of its engines. */
export interface EngineMeasure {
  readonly name: string
  readonly on: readonly EngineName[]
  readonly run: (options: EngineOptions) => Promise<Figure[]>
}

/** Needs no database. */
export interface PlainMeasure {
  readonly name: string
  readonly on: 'none'
  readonly run: (options: MeasureOptions) => Promise<Figure[]>
}

export type Measure = EngineMeasure | PlainMeasure

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

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms))
}

/**
 * Runs the named works in turn, several rounds, after one round that is not counted: a drift of the machine then hits
 * all of them alike, and only ratios within one run are worth anything.
 */
export async function interleave<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<number>>>,
  say: (line: string) => void,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[]
  const found = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = 0; round <= rounds; round += 1) {
    const told: string[] = []
    for (const name of names) {
      const value = await works[name]()
      if (round > 0) found[name].push(value)
      told.push(`${name} ${Math.round(value).toLocaleString('en')}`)
    }
    say(`  ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${told.join(', ')}`)
  }
  return found
}

/** Medians side by side: one figure for `ours`, with its ratio to `theirs`, and one for `theirs` itself. */
export function besides(
  name: string,
  unit: string,
  ours: readonly number[],
  theirs: readonly number[],
  against = 'raw',
): Figure[] {
  const value = median(ours)
  const limit = median(theirs)
  return [
    { name, value, unit, against, ratio: value / limit, spread: spread(ours) },
    { name: `${name} (${against})`, value: limit, unit, spread: spread(theirs) },
  ]
}

export function medianOf(name: string, unit: string, values: readonly number[]): Figure {
  return { name, value: median(values), unit, spread: spread(values) }
}

/** One figure for each share of many values: `[['p50', 0.5], ['p99', 0.99]]`. */
export function quantilesOf(
  name: string,
  unit: string,
  values: readonly number[],
  shares: readonly (readonly [label: string, share: number])[] = [
    ['p50', 0.5],
    ['p99', 0.99],
  ],
): Figure[] {
  return shares.map(([label, share]) => ({ name: `${name}, ${label}`, value: quantile(values, share), unit }))
}
