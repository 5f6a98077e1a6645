/** Leaders, nodes, queues, locks, tokens, the audit and its log, as the API shows them. */
import { z } from 'zod'
import { accessRoles } from '../../core/access/access-role.ts'
import { execution } from './execution.ts'
import { instant, name } from './named.ts'

export const leader = name(
  'Leader',
  z.object({
    leader: z.object({ instance: z.string(), termId: z.int(), leaseUntil: instant }).nullable(),
  }),
)

export const terms = name(
  'Terms',
  z.object({
    terms: z.array(
      z.object({
        id: z.int(),
        leaderInstance: z.string(),
        startTime: instant,
        stopTime: instant.nullable(),
        lastHeartbeat: instant.nullable(),
        handledMissedTasks: z.boolean(),
        effectiveEnd: instant,
        gapMs: z.number(),
        missed: z.object({ found: z.int(), caughtUp: z.int(), coalesced: z.int(), skipped: z.int() }),
      }),
    ),
  }),
)

export const steppedDown = name('SteppedDown', z.object({ steppedDown: z.boolean() }))

export const nodes = name(
  'Nodes',
  z.object({
    nodes: z.array(
      z.object({
        id: z.string(),
        host: z.string(),
        pid: z.int(),
        roles: z.array(z.string()),
        queues: z.record(z.string(), z.int()),
        version: z.string(),
        leaseMs: z.int(),
        startedAt: instant,
        seenAt: instant,
        leads: z.boolean(),
      }),
    ),
    handlers: z.array(z.string()),
  }),
)

export const queues = name(
  'Queues',
  z.object({
    queues: z.array(
      z.object({
        name: z.string(),
        pausedAt: instant.nullable(),
        pausedBy: z.string().nullable(),
        pausedReason: z.string().nullable(),
        pending: z.int().describe('Retries among them'),
        running: z.int(),
        blocked: z.int(),
        sleeping: z.int().describe('They sleep between two steps'),
        waiting: z.int().describe('They wait for a signal'),
      }),
    ),
  }),
)

export const locks = name(
  'Locks',
  z.object({
    locks: z.array(z.object({ name: z.string(), holder: z.string(), fence: z.int(), expiresAt: instant })),
  }),
)

export const leases = name('Leases', z.object({ active: z.array(execution), expired: z.array(execution) }))

export const metrics = name(
  'Metrics',
  z.object({
    jobs: z.object({ total: z.int(), byStatus: z.record(z.string(), z.int()) }),
    executions: z.object({
      total: z.int().describe('Executions that are still kept: retention removes older ones'),
      running: z.int(),
      completed: z.int(),
      failed: z.int(),
      retrying: z.int(),
      sleeping: z.int().describe('They sleep between two steps'),
      waiting: z.int().describe('They wait for a signal'),
    }),
    successRate: z.number().nullable(),
    avgDurationMs: z.number().nullable(),
    staleLeases: z.int(),
    collectedAt: instant,
  }),
)

export const audit = name(
  'Audit',
  z.object({
    ok: z.boolean(),
    jobs: z.int(),
    ticks: z.int(),
    executions: z.int(),
    ranges: z.int(),
    unaccounted: z.int(),
    doubled: z.int(),
    unverifiable: z.int(),
    findings: z.array(z.record(z.string(), z.unknown())),
  }),
)

export const auditLog = name(
  'AuditLog',
  z.object({
    entries: z.array(
      z.object({
        id: z.int(),
        at: instant,
        actor: z.string(),
        origin: z.string().nullable(),
        action: z.string(),
        subject: z.string(),
        before: z.unknown(),
        after: z.unknown(),
      }),
    ),
    nextCursor: z.int().nullable(),
  }),
)

export const auditLogProof = name(
  'AuditLogProof',
  z.object({
    ok: z.boolean(),
    entries: z.int(),
    sealed: z.int(),
    unsealed: z.int(),
    head: z.string().nullable(),
    contains: z.boolean().nullable(),
    broken: z.array(z.object({ at: z.string(), why: z.string() })),
  }),
)

const token = {
  id: z.string(),
  name: z.string(),
  role: z.enum(accessRoles),
  expiresAt: instant,
}
export const createdToken = name('CreatedToken', z.object({ ...token, token: z.string() }))
export const tokens = name(
  'Tokens',
  z.object({
    tokens: z.array(
      z.object({ ...token, createdAt: instant, createdBy: z.string(), revokedAt: instant.nullable() }),
    ),
  }),
)

export const session = name(
  'Session',
  z.object({
    actor: z.string(),
    role: z.enum(accessRoles),
    expiresAt: instant,
    now: instant.describe("The server's time, for countdowns on a page"),
  }),
)

export const sessionProvider = name(
  'SessionProvider',
  z.object({
    provider: z
      .object({ name: z.string(), problem: z.string().nullable() })
      .nullable()
      .describe('null: sign-in links only. With it, GET /sign-in/begin?to=/jobs starts a sign-in'),
  }),
)

export const alive = name('Alive', z.object({ status: z.literal('ok') }))

export const health = name(
  'Health',
  z.object({ status: z.enum(['ok', 'unavailable']), version: z.string(), nodeId: z.string() }),
)
