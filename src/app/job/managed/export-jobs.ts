/** Jobs as they are written down, to be applied here again or elsewhere: definitions, without their history. */
import type { Job } from '../../../core/job/job.ts'
import type { AppContext } from '../../app-context.ts'
import { pageLimit } from '../../config/call-options.ts'
import { findJob } from '../job-views.ts'
import { type WrittenJob, writtenOf } from './written-job.ts'

export interface ExportJobs {
  /** Only these. @default all */
  readonly names?: readonly string[]
  /** @default 200 */
  readonly limit?: number
  /** Where the previous page ended. */
  readonly cursor?: string
}

export interface ExportedJobs {
  /** By their names. */
  readonly jobs: readonly WrittenJob[]
  /** They would run again where they are applied. Whoever wants one names it. */
  readonly leftOut: readonly { readonly job: string; readonly why: string }[]
  readonly nextCursor: string | null
}

export async function exportJobs(
  app: Pick<AppContext, 'store'>,
  { names, limit, cursor }: ExportJobs = {},
): Promise<ExportedJobs> {
  if (names !== undefined) {
    const found = await Promise.all([...new Set(names)].map((name) => findJob(app, name)))
    const jobs = found.filter((job) => !isWebhook(job)).toSorted(byName)
    const leftOut = found.filter(isWebhook).map(({ name }) => ({ job: name, why: 'it is a webhook' }))
    return { jobs: jobs.map(writtenOf), leftOut, nextCursor: null }
  }
  const most = pageLimit(limit, 200)
  const page = await app.store.jobs.listJobs({
    limit: most,
    ...(cursor === undefined ? {} : { afterName: cursor }),
  })
  const over = page.filter(isOver)
  return {
    jobs: page.filter((job) => !isOver(job) && !isWebhook(job)).map(writtenOf),
    leftOut: over.map(({ name, state }) => ({ job: name, why: `it is ${state}` })),
    nextCursor: page.length < most ? null : (page.at(-1)?.name ?? null),
  }
}

function isOver({ state }: Job): boolean {
  return state === 'completed' || state === 'cancelled'
}

/** Made and changed as such, never as a job. */
function isWebhook({ spec }: Job): boolean {
  return spec.handler.type === 'webhook'
}

function byName(one: Job, other: Job): number {
  return one.name < other.name ? -1 : 1
}
