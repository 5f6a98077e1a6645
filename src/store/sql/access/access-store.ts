import type { AccessStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import {
  addAccess,
  findAccess,
  listAccess,
  liveAccess,
  purgeAccess,
  redeemLink,
  revokeAccess,
} from './access.ts'
import { beginIdempotent, endIdempotent, purgeIdempotent } from './idempotency-keys.ts'

export function accessStore({ read, write }: Scripts): AccessStore {
  return {
    addAccess: (access, origin) => write(() => addAccess(access, origin)),
    findAccess: (id) => read(() => findAccess(id)),
    liveAccess: (ids, now) => read(() => liveAccess(ids, now)),
    listAccess: (kind, now) => read(() => listAccess(kind, now)),
    revokeAccess: (id, by) => write(() => revokeAccess(id, by)),
    redeemLink: (id, now) => write(() => redeemLink(id, now)),
    beginIdempotent: (request) => write(() => beginIdempotent(request)),
    endIdempotent: (request, end) => write(() => endIdempotent(request, end)),
    purgeAccess: async (now) =>
      (await write(() => purgeAccess(now))) + (await write(() => purgeIdempotent(now))),
  }
}
