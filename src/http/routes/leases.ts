/** `/leases`: who holds what; and work for whoever pulls it, in any language. */
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
    summary: 'Leases that are held, and those that have run out',
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
    summary: 'Take back at once what has run out',
    answers: z.object({ reset: z.int() }),
    run: async ({ evertick, by }) => ({ reset: await evertick.leases.resetExpired(by) }),
  }),
  endpoint({
    method: 'post',
    path: '/leases/acquire',
    role: 'operator',
    tag,
    summary: 'Lease what is ready and this worker can do',
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
    summary: 'Keep a lease; says whether somebody asks to stop',
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
