/** What the tests of limits and of turns share. */
import type { JobLimit } from '../../../src/core/execution/limit.ts'
import { idOf, jobSpec, nameOf, newExecution } from '../builders.ts'
import type { Bench } from './store-under-test.ts'

export const onDemand = { schedule: null, retry: { attempts: 3 } } as const

export function limited(...limits: JobLimit[]) {
  return jobSpec({ ...onDemand, limits })
}

export function numbered(letter: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${letter}${index + 10}`)
}

export async function enqueue(
  { store }: Bench,
  job: string,
  executions: readonly string[],
  overrides: (name: string) => Parameters<typeof newExecution>[2] = () => ({}),
): Promise<void> {
  await store.work.enqueueExecutions(executions.map((name) => newExecution(name, job, overrides(name))))
}

export function names(claimed: readonly { readonly id: string }[]): string[] {
  return claimed.map(({ id }) => nameOf(id))
}

export function claimOf<Claimed extends { readonly id: string }>(
  claimed: readonly Claimed[],
  name: string,
): Claimed {
  const found = claimed.find(({ id }) => id === idOf(name))
  if (found === undefined) throw new Error(`${name} was not claimed`)
  return found
}
