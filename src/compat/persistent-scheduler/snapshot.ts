/** From the database in memory to what is saved: each job with where its ticks are settled until and what is owed. */
import type { Execution } from '../../core/execution/execution.ts'
import { unfinishedStates } from '../../core/execution/execution-state.ts'
import type { Job } from '../../core/job/job.ts'
import type { Store } from '../../store/store.ts'
import type { JobBook } from './job-book.ts'
import type { SavedJob, SavedState } from './saved-state.ts'

export interface SnapshotParts {
  readonly book: JobBook
  /** Jobs of the file that nobody has scheduled again: they stay as they are. */
  readonly left: ReadonlyMap<string, SavedJob>
  readonly definitions: ReadonlyMap<string, string>
  readonly now: number
}

const allOf = 1_000_000

export async function snapshotOf(
  store: Store,
  { book, left, definitions, now }: SnapshotParts,
): Promise<SavedState> {
  const saved = new Map(left)
  // A database in memory answers at once: asked in one turn, all of this is of one moment. The jobs still go first, so
  // that a tick settled after that would count as not settled, never as done.
  const [jobs, ...lists] = await Promise.all([
    store.jobs.listJobs({ limit: allOf }),
    ...unfinishedStates.map((state) => store.executions.listExecutions({ state, limit: allOf })),
  ])
  const owed = Map.groupBy(lists.flat(), ({ jobId }) => jobId)
  for (const job of jobs) {
    const kept = savedJob(job, owed.get(job.id) ?? [], { book, definitions, now })
    if (kept !== null) saved.set(job.name, kept)
  }
  const lastRuns = [...saved.values()].map(({ lastRun }) => (lastRun === null ? 0 : Date.parse(lastRun)))
  // Never before a run that it tells of, though the clock was set back.
  const at = lastRuns.reduce((latest, run) => Math.max(latest, run), now)
  return { timestamp: new Date(at).toISOString(), jobs: [...saved.values()] }
}

function savedJob(
  job: Job,
  unfinished: readonly Execution[],
  { book, definitions, now }: Omit<SnapshotParts, 'left'>,
): SavedJob | null {
  const state = book.state(job.name)
  if (state === undefined || !book.isMine(job.name)) return null
  const open = unfinished.flatMap(({ tickAt, attempt }) => (tickAt === null ? [] : [{ tickAt, attempt }]))
  // What was accounted ahead of its time is due again for whoever comes next.
  const ahead = open.filter(({ tickAt }) => tickAt > now).map(({ tickAt }) => tickAt)
  const settledUntil = Math.min(job.accountedUntil, ...ahead)
  const owed = open
    .filter(({ tickAt }) => tickAt < settledUntil)
    .toSorted((a, b) => a.tickAt - b.tickAt)
    .map(({ tickAt, attempt }) => ({ scheduledFor: new Date(tickAt).toISOString(), attempt }))
  return {
    name: state.name,
    schedule: state.schedule,
    enabled: state.enabled,
    catchUp: state.catchUp,
    maxMissedRuns: state.maxMissedRuns,
    currentRunCount: state.currentRunCount,
    lastRun: state.lastRun?.toISOString() ?? null,
    nextRun: state.nextRun?.toISOString() ?? null,
    timezone: state.timezone,
    protect: state.protect,
    settledUntil: new Date(settledUntil).toISOString(),
    unfinished: owed,
    definition: definitions.get(job.name),
  }
}
