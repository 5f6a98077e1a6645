/** A job's definition as its user would write it, without the defaults. */
import type { Answer, Job } from '../../../../src/client/index.ts'
import { tellingOptions } from '../../../../src/core/job/options-codec.ts'

export type Revision = Answer<'GET /jobs/{id}/revisions'>['revisions'][number]
export type Definition = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly handler: Job['handler']
}

export function newest(revisions: readonly Revision[]): Revision | undefined {
  return revisions.toSorted((one, other) => one.revision - other.revision).at(-1)
}

export function newestDefinition(job: Job, revisions: readonly Revision[]): Definition {
  const { schedule, ...options } = newest(revisions)?.options ?? {}
  return {
    name: job.name,
    handler: job.handler,
    ...(schedule === undefined ? {} : { schedule }),
    ...tellingOptions(options),
  }
}
