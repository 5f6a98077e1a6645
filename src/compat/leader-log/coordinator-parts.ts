/** Opens the log, the locks and the marks of a coordinator, wherever its options keep them. */

import { systemClock } from '../../app/cluster/system-clock.ts'
import { newId } from '../../app/ids.ts'
import { waitForLock } from '../../app/locks/held-lock.ts'
import { databaseLocks, type LockKeeper } from '../../app/locks/lock-keeper.ts'
import type { Clock } from '../../engine/clock.ts'
import { openRedisLocks, openRedisMarks } from '../../store/open-store.ts'
import type { Store } from '../../store/store.ts'
import { OwnNode } from '../own-node.ts'
import type { CoordinatorConfig, CoordinatorPlaces } from './coordinator-options.ts'
import { leaderLogModelOn } from './leader-log-model.ts'
import type { SchedulerLeaderLogModel } from './leader-term.ts'
import type { Marks } from './once-only.ts'
import { DatabaseSeat, LockSeat, type Seat, type TakeLock } from './seat.ts'

export interface CoordinatorParts {
  readonly model: SchedulerLeaderLogModel
  readonly seat: Seat
  readonly takeLock: TakeLock
  readonly marks: Marks
  readonly clock: Clock
  close(): Promise<void>
}

type Given = Pick<CoordinatorConfig, 'instanceId' | 'leaseMs' | 'dedupeTtlMs' | 'logger'>

const purgeAtOnce = 1_000

export async function openParts(places: CoordinatorPlaces, config: Given): Promise<CoordinatorParts> {
  const ends: (() => Promise<void>)[] = []
  const close = async () => {
    for (const end of ends.splice(0).toReversed()) await end()
  }
  try {
    return { ...(await open(places, config, ends)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function open(
  { database, redis, model, lock, clock: givenClock }: CoordinatorPlaces,
  config: Given,
  ends: (() => Promise<void>)[],
): Promise<Omit<CoordinatorParts, 'close'>> {
  const app = database === null ? null : await openDatabase(database, givenClock, ends)
  const clock = givenClock ?? app?.clock ?? systemClock
  const seatOptions = { instanceId: config.instanceId, leaseMs: config.leaseMs, clock }
  const locksOnRedis = async () => {
    const locks = await openRedisLocks(redis?.url ?? '', redis?.prefix ?? '')
    ends.push(() => locks.close())
    return locks
  }
  const takeLock: TakeLock =
    lock === null
      ? takeFrom(app === null ? await locksOnRedis() : databaseLocks(app.store, clock), config, clock)
      : async (name, ttlMs) => {
          const until = clock.monotonic() + ttlMs
          const held = await lock.acquire(name, { ttl: ttlMs })
          return held === null ? null : { lock: held, until }
        }
  const marks =
    redis === null && app !== null
      ? marksOnDatabase(app.store, clock, config.dedupeTtlMs)
      : await marksOnRedis(redis?.url ?? '', redis?.prefix ?? '', clock, config.dedupeTtlMs, ends)
  if (model !== null) {
    return { model, seat: new LockSeat(model, takeLock, seatOptions), takeLock, marks, clock }
  }
  if (app === null) throw new Error('Options without a log are refused before.')
  const seat = new DatabaseSeat(app.store, seatOptions, config.logger)
  const ownModel = leaderLogModelOn(() => Promise.resolve({ store: app.store, clock }))
  return { model: ownModel, seat, takeLock, marks, clock }
}

async function openDatabase(
  database: string,
  clock: Clock | null,
  ends: (() => Promise<void>)[],
): Promise<{ readonly store: Store; readonly clock: Clock }> {
  const node = new OwnNode(() => ({ database, ...(clock === null ? {} : { clock }) }))
  ends.push(() => node.stop())
  return await node.context()
}

function takeFrom(keeper: LockKeeper, { instanceId }: Given, clock: Clock): TakeLock {
  return (name, ttlMs) =>
    waitForLock(keeper, clock, {
      name,
      owner: instanceId,
      token: newId(clock.now()),
      ttlMs,
      waitMs: 0,
      pauseMs: () => 0,
      signal: undefined,
    })
}

function marksOnDatabase(store: Store, clock: Clock, ttlMs: number): Marks {
  const request = (mark: string, fence: number) => {
    const now = clock.now()
    return { mark, fence, now, expiresAt: now + ttlMs }
  }
  return {
    claim: (mark, fence) => store.compat.claimMark(request(mark, fence)),
    finish: (mark, fence) => store.compat.finishMark(request(mark, fence)),
    async purge() {
      while ((await store.compat.purgeMarks(clock.now(), purgeAtOnce)) === purgeAtOnce);
    },
  }
}

async function marksOnRedis(
  url: string,
  prefix: string,
  clock: Clock,
  ttlMs: number,
  ends: (() => Promise<void>)[],
): Promise<Marks> {
  const marks = await openRedisMarks(url, prefix)
  ends.push(() => marks.close())
  return {
    claim: (mark, fence) => marks.claim(mark, fence, ttlMs),
    finish: (mark, fence) => marks.finish(mark, fence, ttlMs, clock.now()),
    // Redis removes expired keys by itself.
    purge: () => Promise.resolve(),
  }
}
