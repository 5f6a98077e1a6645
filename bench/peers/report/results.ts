/** A comparison as the lines that `--json` and the table print: each figure, and ours against each of the others. */
import type { Result } from '../../measure.ts'
import { byWay, type Comparison, isPeer, type Measured, measured, type Taken } from './comparison.ts'

export function resultsOf({ taken }: Comparison): Result[] {
  return taken.flatMap(resultsOfMeasure)
}

function resultsOfMeasure({ name: measure, entries }: Taken): Result[] {
  return [...byWay(measured(entries)).values()].flatMap((way) => {
    const group = measured(way)
    const ours = group.filter(({ library }) => library === 'evertick')
    const others = group.filter(({ library }) => library !== 'evertick')
    return [
      ...ours.flatMap((own) => [figureOf(own, measure), ...against(own, others, measure)]),
      ...others.map((other) => figureOf(other, measure)),
    ]
  })
}

function figureOf(entry: Measured, measure: string): Result {
  const { value, unit, low, high } = entry
  return { name: nameOf(entry), engine: engineOf(entry), value, unit, spread: [low, high], measure }
}

/** Each peer on whatever store it has; the raw limit only of the same one. */
function against(own: Measured, others: readonly Measured[], measure: string): Result[] {
  return others
    .filter((other) => isPeer(other) || other.store === own.store)
    .map((other) => {
      const { spread: _, ...figure } = figureOf(own, measure)
      return { ...figure, against: sized(other), ratio: own.value / other.value }
    })
}

function nameOf(entry: Measured): string {
  return `${entry.of} (${sized(entry)})`
}

export function sized({ who, size }: Measured): string {
  return size === '' ? who : `${who}, ${size}`
}

function engineOf({ store }: Measured): Result['engine'] {
  return store === 'redis-always' ? 'redis' : store
}
