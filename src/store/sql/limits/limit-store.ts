import type { LimitStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { deleteLimit, listLimits, setLimit, writeCodeLimits } from './limits.ts'
import { readShares } from './read-shares.ts'

export function limitStore({ read, writeAndTell }: Scripts): LimitStore {
  return {
    listLimits: () => read(() => listLimits()),
    setLimit: (name, numbers, by) => writeAndTell(() => setLimit(name, numbers, by), 'work'),
    deleteLimit: (name, by) => writeAndTell(() => deleteLimit(name, by), 'work'),
    writeCodeLimits: (limits, by) => writeAndTell(() => writeCodeLimits(limits, by), 'work'),
    readShares: (ids, now) => read(() => readShares(ids, now)),
  }
}
