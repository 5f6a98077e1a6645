/** What the sections of the persistent scheduler's document share. */
import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { PersistentScheduler } from '../../../../src/index.ts'

/** For `Child`: the page's basic usage as a process. */
export const script = '../compat/persistent-scheduler/scheduler-process.ts'
export const utc = { timezone: 'UTC' } as const

export interface Context {
  readonly scheduledFor: Date
  readonly signal: AbortSignal
}

/** The instants for which a task ran. */
export type Ran = string[]

export const noting = (ran: Ran) => (context: Pick<Context, 'scheduledFor'>) =>
  void ran.push(context.scheduledFor.toISOString())

export interface StateFileText {
  readonly version: string
  readonly timestamp: string
  readonly jobs: readonly Record<string, unknown>[]
}

export function read(path: string): StateFileText {
  return JSON.parse(readFileSync(path, 'utf8')) as StateFileText
}

export async function expectClean(scheduler: PersistentScheduler): Promise<void> {
  expect(await (await scheduler.evertick).audit()).toMatchObject({ ok: true, unaccounted: 0, doubled: 0 })
}
