import type { AuditStore } from '../../store.ts'
import type { Scripts } from '../runtime/scripts.ts'
import { appendAuditLog, listAuditLog } from './audit-log.ts'
import { purgeAuditLog, sealAuditLog } from './seal-audit-log.ts'
import { verifyAuditLog } from './verify-audit-log.ts'

export function auditStore({ driver, read, write }: Scripts): AuditStore {
  return {
    listAuditLog: (query) => read(() => listAuditLog(query)),
    appendAuditLog: (entries) => write(() => appendAuditLog(entries)),
    sealAuditLog: (request) => write(() => sealAuditLog(request)),
    verifyAuditLog: ({ head }) => verifyAuditLog(driver, head ?? null),
    purgeAuditLog: (before, by) => write(() => purgeAuditLog(before, by)),
  }
}
