import { expect, it } from 'vitest'
import { usageOfRun } from '../../../src/core/attempt/usage.ts'

it('a run has used the most memory of its attempts, and the CPU time of all', () => {
  const attempts = [
    { peakMemoryBytes: 7, cpuMs: 10 },
    { peakMemoryBytes: 9, cpuMs: null },
    { peakMemoryBytes: null, cpuMs: 5 },
  ]
  expect(usageOfRun(attempts)).toEqual({ peakMemoryBytes: 9, cpuMs: 15 })
})

it('what was seen of no attempt is not known of the run', () => {
  expect(usageOfRun([{ peakMemoryBytes: null, cpuMs: 0 }])).toEqual({ peakMemoryBytes: null, cpuMs: 0 })
  expect(usageOfRun([])).toEqual({ peakMemoryBytes: null, cpuMs: null })
})
