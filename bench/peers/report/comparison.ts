/** What the runs of the comparison found: the page and its charts are made of it. */
import { type AnyRun, isOurs, type RunHead } from '../../report/run.ts'
import { type MeasureName, measureNames, type StoreName } from '../contender.ts'

export interface Entry {
  /** What is compared: `drain, concurrency 50`. */
  readonly of: string
  readonly unit: string
  readonly better: 'more' | 'less'
  readonly who: string
  /** The package it is, `evertick` for ours, `raw` for the shortest loop over the driver. */
  readonly library: string
  readonly store: StoreName | 'none'
  readonly size: string
  /** The median of the rounds; null where there was no whole one. */
  readonly value: number | null
  readonly low: number | null
  readonly high: number | null
  /** What a reader must know of this figure: how many it did within its limit, why it failed. */
  readonly note?: string
}

/** One measure, with what it was taken on: measures may be taken again one by one. */
export interface Taken extends RunHead {
  readonly name: MeasureName
  readonly rounds: number
  readonly entries: readonly Entry[]
}

export interface Comparison {
  readonly taken: readonly Taken[]
}

export function comparisonOf(runs: readonly AnyRun[]): Comparison {
  const taken = runs.filter((run): run is Taken => !isOurs(run))
  return { taken: measureNames.flatMap((name) => taken.filter((run) => run.name === name)) }
}

/** An entry that has a figure. */
export type Measured = Entry & { readonly value: number; readonly low: number; readonly high: number }

export function measured(entries: readonly Entry[]): Measured[] {
  return entries.filter((entry): entry is Measured => entry.value !== null)
}

export function entriesOf({ taken }: Comparison): Entry[] {
  return taken.flatMap(({ entries }) => entries)
}

/** The entries by what they compare, in the order in which they came. */
export function byWay(entries: readonly Entry[]): Map<string, Entry[]> {
  const ways = new Map<string, Entry[]>()
  for (const entry of entries) ways.set(entry.of, [...(ways.get(entry.of) ?? []), entry])
  return ways
}

export function isPeer({ library }: Entry): boolean {
  return library !== 'evertick' && library !== 'raw'
}
