/** Jobs and executions as the measures of the store need them. */
import { newId } from '../src/app/ids.ts'
import { jobSpec } from '../src/app/job/job-options.ts'
import type { JobSpec } from '../src/core/job/job.ts'
import type { JobOptions } from '../src/core/job/options.ts'
import { usualPayloadBytes } from '../src/core/payload.ts'
import { batchExecutions, scanLimit } from '../src/engine/scheduler.ts'
import type { AccountRequest, Store } from '../src/store/store.ts'
import type { Connection, Value } from './engines/engine.ts'

export const nodeId = 'bench'
export const handler = 'bench'

export function specOf(options: JobOptions, createdAt: number): JobSpec {
  return jobSpec(options, {
    name: handler,
    handler,
    maxPayloadBytes: usualPayloadBytes,
    timezone: 'UTC',
    createdAt,
  })
}

export async function createJob(store: Store, name: string, spec: JobSpec, now: number): Promise<string> {
  const id = newId(now)
  const context = { now, actor: 'bench' }
  await store.jobs.createJob({ id, name, spec, managedBy: 'api', managedHash: null, paused: false, context })
  return id
}

export async function registerNode(store: Store): Promise<void> {
  const now = Date.now()
  const node = { id: nodeId, host: 'bench', pid: process.pid, version: '0', startedAt: now, seenAt: now }
  await store.cluster.registerNode({ ...node, roles: ['scheduler', 'worker'], queues: {}, leaseMs: 30_000 }, [
    handler,
  ])
}

/** A job with `count` executions that are ready. */
export async function fillPending(store: Store, jobName: string, count: number): Promise<void> {
  const now = Date.now()
  await registerNode(store)
  await createJob(store, jobName, specOf({}, now), now)
  const base = { jobName, cause: 'enqueue', scheduledFor: now, readyAt: now, createdAt: now } as const
  const empty = { queue: null, priority: null, metadata: {}, uniqueKey: null }
  for (let done = 0; done < count; done += 1_000) {
    const size = Math.min(1_000, count - done)
    const rows = Array.from({ length: size }, (_, n) => ({ ...base, ...empty, id: newId(now), input: { n } }))
    await store.work.enqueueExecutions(rows)
  }
}

const copiesAtOnce = 5_000

/** Jobs by the thousand, past the port: copies of one row with their own id and name, all due at one instant. */
export async function copyJobs(
  connection: Connection,
  jobId: string,
  count: number,
  dueAt: number,
): Promise<void> {
  const copy = async (table: string, key: string) => {
    const columns = await connection.columnsOf(table)
    const [template = {}] = await connection.rows(
      `SELECT ${columns.join(', ')} FROM @${table} WHERE ${key} = ?`,
      jobId,
    )
    return async (changes: readonly Record<string, Value>[]) =>
      await connection.insert(
        table,
        columns,
        changes.map((change) => columns.map((column) => change[column] ?? template[column] ?? null)),
      )
  }
  const intoJobs = await copy('jobs', 'id')
  const intoRevisions = await copy('job_revisions', 'job_id')
  const now = Date.now()
  for (let done = 0; done < count; done += copiesAtOnce) {
    const size = Math.min(copiesAtOnce, count - done)
    const jobs = Array.from({ length: size }, (_, n) => ({
      id: newId(now),
      name: copyName(done + n),
      next_due_at: dueAt,
    }))
    await intoJobs(jobs)
    await intoRevisions(jobs.map(({ id }) => ({ job_id: id })))
  }
}

const roundsAtOnce = 10

/** So many executions that have completed, as many of each job, made by the database itself: a million take seconds. */
export async function fillHistory(connection: Connection, count: number): Promise<void> {
  const [found] = await connection.rows(
    `SELECT (SELECT count(*) FROM @jobs) AS jobs, (SELECT count(*) FROM @job_executions) AS executions`,
  )
  const before = Number(found?.executions)
  const jobs = Number(found?.jobs)
  const rounds = Math.round((count - before) / jobs)
  const now = Date.now()
  for (let done = 0; done < rounds; done += roundsAtOnce) {
    const size = Math.min(roundsAtOnce, rounds - done)
    const numbers = Array.from({ length: size }, (_, n) => `SELECT ${done + n} AS n`).join(' UNION ALL ')
    // As many columns as a run leaves behind. Ids that grow, as those of old do, and are below all new ones.
    const number = `${100_000_000_000 + before + done * jobs} + ROW_NUMBER() OVER (ORDER BY r.n, j.id)`
    const id = connection.asId(`CONCAT('00000000-0000-7000-8000-', ${number})`)
    await connection.rows(
      `INSERT INTO @${connection.executions} (id, job_id, cause, scheduled_for, state, ready_at, queue, priority, handler, attempt,
         max_attempts, input, result, fence, leased_by, created_at, started_at, finished_at)
       SELECT ${id}, j.id, 'enqueue', ${now}, 'completed', ${now}, 'default', 0, 'bench', 1,
         3, '{"n":1}', '{"done":true}', 1, 'bench', ${now}, ${now}, ${now} + r.n
       FROM (${numbers}) r CROSS JOIN @jobs j ORDER BY r.n, j.id`,
    )
    await connection.keepFinished()
  }
  await connection.settle()
}

/** In the order of their numbers by name, too. */
export function copyName(n: number): string {
  return `copy-${String(n).padStart(8, '0')}`
}

/** Takes the leader's lock and returns the rest of every request to account. */
export async function lead(store: Store): Promise<Omit<AccountRequest, 'jobs' | 'now'>> {
  const now = Date.now()
  const term = await store.cluster.electLeader({ nodeId, now, leaseMs: 3_600_000 })
  if (term === null) throw new Error('Somebody else leads a database that was just made.')
  return {
    leader: { termId: term.id, holder: nodeId },
    termStartAt: now,
    aheadMs: 0,
    catchUpFrom: now,
    catchUpEveryMs: 0,
    maxExecutions: Number.MAX_SAFE_INTEGER,
    outOfTime: () => false,
  }
}

/** Accounts for everything that is due, as the scheduler does; returns how many jobs that were. */
export async function accountAll(
  store: Store,
  leading: Omit<AccountRequest, 'jobs' | 'now'>,
): Promise<number> {
  const now = Date.now()
  for (let done = 0; ; ) {
    let { jobs } = await store.ticks.findDueJobs(now, scanLimit)
    if (jobs.length === 0) return done
    while (jobs.length > 0) {
      const result = await store.ticks.accountTicks({ ...leading, maxExecutions: batchExecutions, jobs, now })
      if (!result.led || result.stale > 0) throw new Error('The fence or a version refused the account.')
      jobs = jobs.slice(result.done)
      done += result.done
    }
  }
}

export async function auditOk(store: Store): Promise<void> {
  const { unaccounted, doubled } = await store.ticks.auditLedger({})
  if (unaccounted + doubled > 0) throw new Error(`Audit: ${unaccounted} unaccounted, ${doubled} doubled`)
}
