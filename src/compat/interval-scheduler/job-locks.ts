/**
 * One lock per job, on the database's named locks: whoever holds it is the only one to run the job or to work on it by
 * hand. Taking it is a compare-and-set; it has a token, a ttl, and a fence that grows.
 */
import type { AppContext } from '../../app/app-context.ts'
import { type Grant, waitForLock } from '../../app/locks/held-lock.ts'
import { databaseLocks, type LockKeeper } from '../../app/locks/lock-keeper.ts'

const prefix = 'job'

export function jobLocks({ store, clock }: AppContext): LockKeeper {
  return databaseLocks(store, clock, prefix)
}

/** Null where somebody else holds it. */
export async function takeJobLock(
  app: AppContext,
  jobId: string,
  { token, ttlMs }: { readonly token?: string | undefined; readonly ttlMs: number },
): Promise<Grant | null> {
  return await waitForLock(jobLocks(app), app.clock, {
    name: jobId,
    owner: app.nodeId,
    token: token ?? app.newId(app.clock.now()),
    ttlMs,
    waitMs: 0,
    pauseMs: () => 0,
    signal: undefined,
  })
}

/** Frees the locks of jobs whose time was over at that instant; returns how many. */
export async function clearJobLocks({ store }: AppContext, now: number): Promise<number> {
  return await store.compat.clearExpiredLocks(`${prefix}:`, now)
}

/** The ids of the jobs whose lock somebody holds. */
export async function lockedJobs({ store, clock }: AppContext): Promise<ReadonlySet<string>> {
  const now = clock.now()
  const held = (await store.cluster.listLocks()).filter(
    ({ name, expiresAt }) => name.startsWith(`${prefix}:`) && expiresAt > now,
  )
  return new Set(held.map(({ name }) => name.slice(prefix.length + 1)))
}
