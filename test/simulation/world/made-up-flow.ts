/** A small flow of one job, the same for the same number. */
import type { FlowOptions } from '../../../src/index.ts'
import { Random } from './random.ts'

export function madeUpFlow(job: string, shape: number): FlowOptions {
  const random = new Random(`flow ${shape}`)
  const count = random.integer(2, 7)
  const steps = Array.from({ length: count }, (_, index) => {
    const before = Array.from({ length: index }, (_one, earlier) => `s${earlier}`)
    const after = before.filter(() => random.chance(0.4))
    const onFailure = random.chance(0.25) ? ('continue' as const) : ('cancel' as const)
    return [`s${index}`, { job, after, onFailure }] as const
  })
  return { steps: Object.fromEntries(steps) }
}
