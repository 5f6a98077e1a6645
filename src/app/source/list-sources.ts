/** The sources: jobs that make jobs, each with what its last sync did. */
import { addressText } from '../../core/job/handler.ts'
import type { AppContext } from '../app-context.ts'
import { Executions } from '../execution/executions.ts'
import { listJobs } from '../job/list-jobs.ts'
import type { JobView } from '../views.ts'

export interface SourceView
  extends Pick<JobView, 'id' | 'name' | 'state' | 'health' | 'scheduleText' | 'nextRunAt' | 'managedBy'> {
  readonly url: string
  /** Null where it has not synced yet, or that is no longer kept. */
  readonly lastSync: { readonly at: Date; readonly summary: unknown } | null
}

export interface SourceList {
  readonly sources: SourceView[]
  readonly nextCursor: string | null
}

export async function listSources(
  app: AppContext,
  page: { readonly limit?: number; readonly cursor?: string } = {},
): Promise<SourceList> {
  const { jobs, nextCursor } = await listJobs(app, { ...page, filter: 'handler:@source' })
  const executions = new Executions(app)
  const sources = jobs.map(async (job): Promise<SourceView[]> => {
    const { id, name, state, health, scheduleText, nextRunAt, managedBy, handler } = job
    if (handler.type !== 'source') return []
    const [last] = (await executions.list({ job: id, state: 'completed', limit: 1 })).executions
    const at = last?.finishedAt ?? null
    const lastSync = at === null ? null : { at, summary: last?.result ?? null }
    return [
      {
        id,
        name,
        state,
        health,
        scheduleText,
        nextRunAt,
        managedBy,
        url: addressText(handler.url),
        lastSync,
      },
    ]
  })
  return { sources: (await Promise.all(sources)).flat(), nextCursor }
}
