/** The jobs of the nodes that die between steps, as both sides know them. */
import { defineJob } from '../../src/index.ts'

/** Where in a step: before its call, in its function before the effect, after the effect, after its memo. */
export const moments = ['before', 'inside', 'effect', 'memo'] as const

export interface Line {
  readonly step: number
  readonly moment: (typeof moments)[number]
}

export const steps = [1, 2, 3, 4, 5] as const
export const isTransactional = (step: number) => step % 2 === 0

const retry = { attempts: 3, base: 50, factor: 1 } as const

export const fiveSteps = defineJob<Line>({ name: 'five-steps', retry })
export const answered = defineJob({ name: 'answered', retry })
