import { EvertickError } from '../../../core/error.ts'
import { messageOf } from '../../error-report.ts'

/** The lines of docs/operations/production-checklist.md, in its order. A setup has those that can be known of it. */
export const checkNames = [
  'node',
  'config',
  'log',
  'archive',
  'api',
  'secret',
  'server',
  'access',
  'database',
  'hints',
  'schema',
  'writable',
  'files',
  'disk',
  'durability',
  'connections',
  'rights',
  'failover',
  'clock',
  'leader',
  'leadership',
  'nodes',
  'versions',
  'queues',
  'alerts',
  'alert channel',
  'backup',
  'cursors',
  'jobs',
  'handlers',
  'leases',
  'dead letters',
  'secrets',
  'time zones',
  'sizes',
] as const

export type CheckName = (typeof checkNames)[number]

/** The result of one check. */
export interface Check {
  readonly name: CheckName
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  readonly next?: string
}

export function ok(name: CheckName, message: string): Check {
  return { name, status: 'ok', message }
}

export function warn(name: CheckName, message: string, next: string): Check {
  return { name, status: 'warn', message, next }
}

export function fail(name: CheckName, message: string, next: string): Check {
  return { name, status: 'fail', message, next }
}

export function failureOf(name: CheckName, error: unknown): Check {
  if (error instanceof EvertickError) return fail(name, error.message, error.next ?? 'See the message above.')
  return fail(name, messageOf(error), 'Check this user’s permissions on the file and its folder.')
}
