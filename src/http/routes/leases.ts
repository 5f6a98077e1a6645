/** `/leases`: who holds which execution, and leases for workers in any language. */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import * as schema from '../schemas/cluster.ts'
import * as pull from '../schemas/execution.ts'

const tag = 'Leases'

export const leaseRoutes = [
  endpoint({
    method: 'get',
    path: '/leases',
    role: 'viewer',
    tag,
    summary: 'Active and expired leases',
    answers: schema.leases,
    run: async ({ evertick }) => ({
      active: await evertick.leases.active(),
      expired: await evertick.leases.expired(),
    }),
  }),
  endpoint({
    method: 'post',
    path: '/leases/reset-expired',
    role: 'operator',
    tag,
    summary: 'Reset expired leases now',
    answers: z.object({ reset: z.int() }),
    run: async ({ evertick, by }) => ({ reset: await evertick.leases.resetExpired(by) }),
  }),
  endpoint({
    method: 'post',
    path: '/leases/acquire',
    role: 'operator',
    tag,
    summary: 'Lease executions that are ready and that this worker can run',
    body: pull.leaseRequest,
    takes: 'names',
    answers: pull.acquiredLeases,
    run: async ({ evertick, body }) => ({
      leases: await evertick.leases.acquire(body),
    }),
  }),
  endpoint({
    method: 'post',
    path: '/leases/extend',
    role: 'operator',
    tag,
    summary: 'Extend a lease; the answer says whether a cancel was requested',
    body: pull.leaseExtension,
    answers: pull.extendedLease,
    run: async ({ evertick, body: { lease, ...held } }) => await evertick.leases.extend(held, lease),
  }),
  endpoint({
    method: 'post',
    path: '/leases/release',
    role: 'operator',
    tag,
    summary: 'End an attempt: done, error, fail or snooze; a superseded worker is refused',
    body: pull.leaseRelease,
    takes: 'payload',
    answers: pull.releasedLease,
    run: async ({ evertick, body: { worker, executionId, fence, ...outcome } }) =>
      await evertick.leases.release({ worker, executionId, fence }, outcome),
  }),
]
