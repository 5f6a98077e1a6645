/** Jobs that could run now: a tick is due, or an execution is ready and waits for a worker. */
import type { AppContext } from '../../app/app-context.ts'
import { jobViews } from '../../app/job/job-views.ts'
import type { JobView } from '../../app/views.ts'
import { lockedJobs } from './job-locks.ts'

export interface ReadyJob {
  readonly view: JobView
  /** When it became due. */
  readonly dueAt: number
}

/** How many executions of each state are read, so that an old backlog of one job does not hide the others for long. */
const lookedAt = 1_000

export async function readyJobs(app: AppContext, limit: number): Promise<ReadyJob[]> {
  const { store, clock } = app
  const now = clock.now()
  const since = new Map<string, number>()
  const note = (jobId: string, at: number) => since.set(jobId, Math.min(at, since.get(jobId) ?? at))
  for (const { id, nextDueAt } of (await store.ticks.findDueJobs(now, limit)).jobs) note(id, nextDueAt)
  for (const state of ['pending', 'retrying', 'sleeping', 'waiting'] as const) {
    for (const { jobId, readyAt } of await store.executions.listExecutions({ state, limit: lookedAt })) {
      if (readyAt <= now) note(jobId, readyAt)
    }
  }
  const locked = await lockedJobs(app)
  const running = new Set((await store.executions.listLeases('active', now)).map(({ jobId }) => jobId))
  const ready: ReadyJob[] = []
  for (const [id, dueAt] of [...since].sort(([, one], [, other]) => one - other)) {
    if (ready.length === limit) break
    if (locked.has(id) || running.has(id)) continue
    const job = await store.jobs.findJob(id)
    // `completed`: its one instant has come, and its run waits.
    if (job?.state !== 'active' && job?.state !== 'completed') continue
    const [view] = await jobViews(app, [job])
    if (view !== undefined) ready.push({ view, dueAt })
  }
  return ready
}
