/** `SchedulerLeaderLogModel` on Evertick's own table, on any of its databases. */

import type { Clock } from '../../engine/clock.ts'
import type { LeaderLogRow, LeaderLogValues, Store } from '../../store/store.ts'
import { OwnNode } from '../own-node.ts'
import { columnValues, refuseEmptyCriteria, termOrder } from './leader-log-columns.ts'
import type { FindOptions, LeaderTerm, SchedulerLeaderLogModel } from './leader-term.ts'

export interface LeaderLogModel extends SchedulerLeaderLogModel {
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Connects at its first use. A SQLite file is made and migrated then; other databases need `evertick migrate up`. */
export function createLeaderLogModel(databaseUrl: string): LeaderLogModel {
  const node = new OwnNode(() => ({ database: databaseUrl }))
  const opened = async () => await node.context()
  const close = () => node.stop()
  return { ...leaderLogModelOn(opened), close, [Symbol.asyncDispose]: close }
}

/** The same on a database that somebody else opens and closes. */
export function leaderLogModelOn(
  opened: () => Promise<{ readonly store: Store; readonly clock: Clock }>,
): SchedulerLeaderLogModel {
  const find = async (criteria: Partial<LeaderTerm>, options: FindOptions = {}): Promise<LeaderTerm[]> => {
    const query = { where: columnValues(criteria, 'find'), ...termOrder(options) }
    const { store } = await opened()
    return (await store.compat.findLeaderLog(query)).map(termOf)
  }
  return {
    find,
    async findOne(criteria) {
      const [first] = await find(criteria, { limit: 1 })
      return first ?? null
    },
    async insert(data) {
      const values: LeaderLogValues = columnValues(data, 'insert')
      const { store, clock } = await opened()
      return termOf(await store.compat.insertLeaderLog(values, clock.now()))
    },
    async update(criteria, data) {
      const where = columnValues(criteria, 'find')
      refuseEmptyCriteria(where)
      const values = columnValues(data, 'update')
      const { store, clock } = await opened()
      await store.compat.updateLeaderLog(where, values, clock.now())
    },
  }
}

function termOf(row: LeaderLogRow): LeaderTerm {
  const date = (at: number | null) => (at === null ? null : new Date(at))
  const { created_at, updated_at } = row
  return {
    id: row.id,
    leader_instance: row.leader_instance,
    start_time: new Date(row.start_time),
    stop_time: date(row.stop_time),
    last_heartbeat: date(row.last_heartbeat),
    handled_missed_tasks: row.handled_missed_tasks,
    ...(created_at === null ? {} : { created_at: new Date(created_at) }),
    ...(updated_at === null ? {} : { updated_at: new Date(updated_at) }),
  }
}
