import type { CheckInStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { checkIn } from './check-in.ts'
import { findCheckIn, purgeCheckIns, putCheckInToken } from './check-in-rows.ts'

export function checkInStore({ read, write, writeAndTell }: Scripts): CheckInStore {
  return {
    putCheckInToken: (job, hash, by) => write(() => putCheckInToken(job, hash, by)),
    checkIn: (request) => writeAndTell(() => checkIn(request), 'work'),
    findCheckIn: (job, tickAt) => read(() => findCheckIn(job, tickAt)),
    purgeCheckIns: (before) => write(() => purgeCheckIns(before)),
  }
}
