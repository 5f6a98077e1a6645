/** Which step an arrow key leads to: along the flow to a child or a parent, across it to the next of the same rank. */
import type { FlowStep } from './flow-answers.ts'
import type { Drawn } from './graph-layout.ts'

const along = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] } as const
export type ArrowKey = keyof typeof along

export function isArrow(key: string): key is ArrowKey {
  return key in along
}

type Shape = Pick<FlowStep, 'name' | 'after'>

/** Null where there is none in that direction. */
export function nextStep(
  steps: readonly Shape[],
  { places }: Drawn,
  from: string,
  key: ArrowKey,
  down: boolean,
): string | null {
  const here = places.get(from)
  if (here === undefined) return null
  const [dx, dy] = along[key]
  const forward = down ? dy : dx
  if (forward !== 0) {
    const related =
      forward > 0
        ? steps.filter(({ after }) => after.includes(from)).map(({ name }) => name)
        : (steps.find(({ name }) => name === from)?.after ?? [])
    return nearest(related, places, down ? here.x : here.y, down ? 'x' : 'y')
  }
  const rank = down ? here.y : here.x
  const [across, ranked] = down ? (['x', 'y'] as const) : (['y', 'x'] as const)
  const sideways = dx + dy
  const beside = [...places].filter(
    ([, place]) => Math.abs(place[ranked] - rank) < 1 && Math.sign(place[across] - here[across]) === sideways,
  )
  return nearest(
    beside.map(([name]) => name),
    places,
    here[across],
    across,
  )
}

function nearest(
  names: readonly string[],
  places: Drawn['places'],
  at: number,
  axis: 'x' | 'y',
): string | null {
  const far = (name: string) => Math.abs((places.get(name)?.[axis] ?? Number.POSITIVE_INFINITY) - at)
  return names.toSorted((a, b) => far(a) - far(b))[0] ?? null
}
