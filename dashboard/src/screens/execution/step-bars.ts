/** Steps, sleeps and waits as bars over time. */

import type { ExecutionDetail } from '../../../../src/client/index.ts'
import { actorName } from '../../../../src/core/access/person.ts'
import { absolute, durationWords } from '../../words/times.ts'

export type Step = ExecutionDetail['steps'][number]

export interface StepBar {
  readonly step: Step
  /** In percent of the whole; null where it was done by the run that this one repeats. */
  readonly place: { readonly left: number; readonly width: number } | null
  readonly tookMs: number
}

type Timed = Pick<ExecutionDetail, 'steps' | 'createdAt'>

/**
 * All share one axis, on which each stretch between two instants is as wide as the square root of its time: a sleep of a
 * week does not hide a step of a second, and what ran at once stays side by side.
 */
export function stepBars({ steps, createdAt }: Timed, now: number): StepBar[] {
  const spans = steps.map((step) => {
    const from = Date.parse(step.startedAt)
    const to = Math.max(from, step.finishedAt === null ? now : Date.parse(step.finishedAt))
    return { step, from, to, isKept: from < Date.parse(createdAt) }
  })
  const own = spans.filter(({ isKept }) => !isKept)
  const instants = [...new Set(own.flatMap(({ from, to }) => [from, to]))].toSorted((a, b) => a - b)
  const places = new Map<number, number>()
  let reached = 0
  for (const [index, at] of instants.entries()) {
    reached += Math.sqrt(at - (instants[index - 1] ?? at))
    places.set(at, reached)
  }
  const percent = (at: number) => (reached === 0 ? 0 : ((places.get(at) ?? 0) / reached) * 100)
  return spans.map(({ step, from, to, isKept }) => ({
    step,
    place: isKept ? null : { left: percent(from), width: percent(to) - percent(from) },
    tookMs: to - from,
  }))
}

/** "done in 1.2 s, 3 tries", "answered by ana after 4 min", "sleeping until 14:05 Madrid". */
export function stepSentence({ step, tookMs, place }: StepBar, zone: string | null): string {
  const took = durationWords(tookMs)
  const kept = place === null ? ', kept from the earlier run' : ''
  switch (step.outcome) {
    case 'done':
      return `done in ${took}${step.tries > 1 ? `, ${step.tries} tries` : ''}${kept}`
    case 'slept':
      return `slept ${took}${kept}`
    case 'signalled':
      return `answered by ${step.by == null ? 'somebody' : actorName(step.by)}${tookMs > 0 ? ` after ${took}` : ' before it waited'}${kept}`
    case 'timed_out':
      return `timed out after ${took}${kept}`
    case 'open': {
      const until = step.until === null ? '' : ` until ${absolute(step.until, zone)}`
      return `${step.kind === 'sleep' ? 'sleeping' : 'waiting for a signal'}${until}`
    }
  }
}
