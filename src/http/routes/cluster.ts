/** The leader, nodes, queues, locks, the audit and the audit log. */
import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import * as schema from '../schemas/cluster.ts'
import { givenInstant } from '../schemas/named.ts'

const tag = 'Cluster'
const queueName = z.strictObject({ name: z.string().min(1).max(200) })
const lockName = z.strictObject({ name: z.string().min(1).max(255) })

export const clusterRoutes = [
  endpoint({
    method: 'get',
    path: '/scheduler/metrics',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Figures for the whole cluster',
    answers: schema.metrics,
    run: async ({ evertick }) => await evertick.metrics(),
  }),
  endpoint({
    method: 'get',
    path: '/leader',
    role: 'viewer',
    tag,
    summary: 'The current leader',
    answers: schema.leader,
    run: async ({ evertick }) => ({ leader: await evertick.leader.current() }),
  }),
  endpoint({
    method: 'get',
    path: '/leader/terms',
    role: 'viewer',
    tag,
    summary: 'Leadership terms, and what each leader repaired; newest first',
    query: z.strictObject({
      instance: z.string().max(255).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(20),
    }),
    answers: schema.terms,
    run: async ({ evertick, query }) => ({ terms: await evertick.leader.terms(query) }),
  }),
  endpoint({
    method: 'post',
    path: '/leader/step-down',
    role: 'admin',
    tag,
    summary: 'End the current term',
    answers: schema.steppedDown,
    run: async ({ evertick, by }) => ({ steppedDown: await evertick.leader.stepDown(by) }),
  }),
  endpoint({
    method: 'get',
    path: '/locks',
    role: 'viewer',
    tag,
    summary: 'Named locks that are held',
    answers: schema.locks,
    run: async ({ evertick }) => ({ locks: await evertick.locks.list() }),
  }),
  endpoint({
    method: 'delete',
    path: '/locks/{name}',
    role: 'admin',
    tag,
    summary: 'Release a lock, whoever holds it',
    params: lockName,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.locks.release(params.name, by),
  }),
  endpoint({
    method: 'get',
    path: '/nodes',
    role: 'viewer',
    tag,
    summary: 'The live nodes, and the handlers they have',
    answers: schema.nodes,
    run: async ({ evertick }) => ({
      nodes: await evertick.nodes.list(),
      handlers: await evertick.nodes.handlers(),
    }),
  }),
  endpoint({
    method: 'get',
    path: '/queues',
    role: 'viewer',
    tag,
    summary: 'Queues, and how much waits in each',
    answers: schema.queues,
    run: async ({ evertick }) => ({ queues: await evertick.queues.list() }),
  }),
  endpoint({
    method: 'post',
    path: '/queues/{name}/pause',
    role: 'operator',
    tag,
    summary: 'Pause a queue: nothing in it starts until it is resumed',
    params: queueName,
    body: z.strictObject({ reason: z.string().max(2_000).optional() }),
    bodyOptional: true,
    answers: null,
    status: 204,
    run: async ({ evertick, params, body, by }) =>
      await evertick.queues.pause(params.name, { ...body, ...by }),
  }),
  endpoint({
    method: 'post',
    path: '/queues/{name}/resume',
    role: 'operator',
    tag,
    summary: 'Resume a queue',
    params: queueName,
    answers: null,
    status: 204,
    run: async ({ evertick, params, by }) => await evertick.queues.resume(params.name, by),
  }),
  endpoint({
    method: 'get',
    path: '/audit',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Prove that every due tick is accounted for exactly once',
    answers: schema.audit,
    run: async ({ evertick }) => await evertick.audit(),
  }),
  endpoint({
    method: 'get',
    path: '/audit-log',
    role: 'viewer',
    tag,
    summary: 'Who changed what; newest first',
    query: z.strictObject({
      actor: z.string().max(300).optional(),
      action: z.string().max(64).optional(),
      subject: z.string().max(200).optional(),
      from: givenInstant.optional(),
      to: givenInstant.optional(),
      limit: z.coerce.number().int().min(1).max(200).default(100),
      cursor: z.coerce.number().int().min(1).optional(),
    }),
    answers: schema.auditLog,
    run: async ({ evertick, query }) => await evertick.auditLog.list(query),
  }),
  endpoint({
    method: 'get',
    path: '/audit-log/verify',
    role: 'viewer',
    heavy: true,
    tag,
    summary: 'Prove that no sealed entry of the audit log was changed',
    query: z.strictObject({
      head: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .optional(),
    }),
    answers: schema.auditLogProof,
    run: async ({ evertick, query }) => await evertick.auditLog.verify(query),
  }),
]
