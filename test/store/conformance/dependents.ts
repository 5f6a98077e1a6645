/** Jobs after jobs, worked by hand. */
import { expect } from 'vitest'
import type { Ending } from '../../../src/core/attempt/outcome.ts'
import { joinSentence } from '../../../src/core/dependency/join-words.ts'
import type { Parent } from '../../../src/core/job/after.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { idOf, jobSpec, t0 } from '../builders.ts'
import type { Bench } from './store-under-test.ts'

export const failed: Ending = { state: 'failed', error: { name: 'Error', message: 'no' } }

export function after(parents: readonly (string | Parent)[], more: Partial<JobSpec> = {}): JobSpec {
  const own = parents.map((one) => (typeof one === 'string' ? ({ job: one, on: 'success' } as const) : one))
  return jobSpec({ schedule: null, overlap: 'buffer_all', after: own, ...more })
}

export const plain = jobSpec({ schedule: null })

/** An id as the product makes them: its first digits say when. */
export function timed(instant: number, name: string): string {
  const time = instant.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${idOf(Array.from(name).toReversed().join('')).slice(13)}`
}

/** Triggers a job and ends its run. */
export async function ran(
  { hand, store }: Bench,
  job: string,
  now: number,
  ending?: Ending,
): Promise<string> {
  const id = timed(now, `${job}-${now - t0}`)
  await store.executions.triggerJob(
    job,
    { id, force: false, input: undefined, metadata: {} },
    { now, actor: 'ann' },
  )
  await ends({ hand }, job, now, ending)
  return id
}

/** Claims whatever is ready, and ends what is of this job; all else is completed, too, unless it is named. */
export async function ends(
  { hand }: Pick<Bench, 'hand'>,
  job: string,
  now: number,
  ending?: Ending,
): Promise<void> {
  const claim = (await hand.claim(now, { limit: 1 }))[0]
  expect(claim?.jobName).toBe(job)
  if (claim !== undefined) await hand.finish(claim, now, ending)
}

export async function told({ hand, store }: Bench, job: string): Promise<string[]> {
  const joins = await store.dependencies.listJoins((await hand.job(job)).id, 100)
  return joins.toReversed().map((join) => joinSentence(join))
}
