import type { BackupStore, Store } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { findMove, markMoved, putTablesAside, putTablesBack, unmarkMoved } from './move-mark.ts'
import { describeTables, findLiveNodes, findOccupants, readTables } from './read-tables.ts'
import { replaceTables } from './write-tables.ts'

/** These wait for whoever is at work on the tables. */
const slow = { slow: true } as const

export function backupStore(
  { driver, context, read, write }: Scripts,
  dialect: Store['dialect'],
): BackupStore {
  const into = { dialect, tzVersion: context.tzVersion }
  return {
    readTables: (work) => readTables(driver, dialect, work),
    describeTables: () => read(describeTables),
    findOccupants: (seenSince) => read(() => findOccupants(seenSince)),
    findLiveNodes: (seenSince) => read(() => findLiveNodes(seenSince)),
    findMove: () => read(findMove),
    markMoved: (mark, by) => write(() => markMoved(mark, by, dialect)),
    putTablesAside: () => write(() => putTablesAside(dialect), slow),
    takeBack: async (by) => {
      await write(() => putTablesBack(dialect), slow)
      await write(() => unmarkMoved(by))
    },
    replaceTables: (request, fill) => replaceTables(driver, into, request, fill),
  }
}
