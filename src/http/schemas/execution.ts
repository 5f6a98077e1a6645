/** Executions, attempts, logs and leases, as the API shows them. */
import { z } from 'zod'
import { causes } from '../../core/execution/execution.ts'
import { executionStates } from '../../core/execution/execution-state.ts'
import { stepKinds, stepOutcomes } from '../../core/execution/step.ts'
import { waitReasons } from '../../core/execution/waits.ts'
import { duration, instant, metadata, name, nextCursor, payload } from './named.ts'

const executionError = name(
  'ExecutionError',
  z.object({
    name: z.string(),
    message: z.string(),
    stack: z.string().optional(),
    code: z.string().optional(),
  }),
)

export const execution = name(
  'Execution',
  z.object({
    id: z.string(),
    jobId: z.string(),
    job: z.string(),
    state: z.enum(executionStates),
    cause: z.enum(causes),
    account: z.enum(['fired', 'caught_up']).nullable(),
    scheduledFor: instant,
    readyAt: instant,
    queue: z.string(),
    priority: z.int(),
    attempt: z.int(),
    maxAttempts: z.int(),
    caughtUp: z.object({ index: z.int(), of: z.int() }).nullable(),
    input: payload,
    result: payload,
    error: executionError.nullable(),
    cancelReason: z.string().nullable(),
    cancelRequestedAt: instant.nullable(),
    progress: z.number().nullable(),
    progressNote: z.string().nullable(),
    metadata,
    enqueuedBy: z.string().nullable(),
    traceId: z.string().nullable(),
    idempotencyKey: z.string(),
    retryOf: z.string().nullable(),
    fence: z.int(),
    leasedBy: z.string().nullable(),
    leasedUntil: instant.nullable(),
    createdAt: instant,
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
    durationMs: z.number().nullable(),
    waits: z
      .object({ reason: z.enum(waitReasons), sentence: z.string(), until: instant.optional() })
      .optional(),
  }),
)

/** Null is what nobody could see. */
export const usage = {
  peakMemoryBytes: z.int().nullable(),
  cpuMs: z.int().nullable(),
}

const attempt = name(
  'Attempt',
  z.object({
    attempt: z.int(),
    outcome: z.string(),
    nodeId: z.string().nullable(),
    startedAt: instant.nullable(),
    finishedAt: instant,
    error: executionError.nullable(),
    usage: name('Usage', z.object(usage)).nullable(),
  }),
)

const step = name(
  'Step',
  z.object({
    name: z.string(),
    kind: z.enum(stepKinds),
    outcome: z.enum([...stepOutcomes, 'open']),
    result: payload,
    attempt: z.int().nullable(),
    tries: z.int(),
    startedAt: instant,
    until: instant.nullable(),
    finishedAt: instant.nullable(),
    by: z.string().nullable(),
  }),
)

export const executionDetail = name(
  'ExecutionDetail',
  execution.extend({
    attempts: z.array(attempt),
    steps: z.array(step),
    definition: z.object({ began: z.int(), revision: z.int() }).nullable(),
  }),
)

export const why = name(
  'Why',
  z.object({ sentence: z.string(), reason: z.string(), next: z.string().optional() }),
)

export const executionList = name('ExecutionList', z.object({ executions: z.array(execution), nextCursor }))

export const logs = name(
  'Logs',
  z.object({ logs: z.array(z.object({ at: instant, level: z.string(), message: z.string() })) }),
)

export const newExecution = name(
  'NewExecution',
  z.strictObject({
    job: z.string().min(1).max(200),
    input: payload.optional(),
    runAt: z.iso.datetime({ offset: true }).optional(),
    priority: z.int().min(-1_000).max(1_000).optional(),
    queue: z.string().min(1).max(200).optional(),
    unique: z.string().min(1).max(500).optional(),
    metadata: metadata.optional(),
  }),
)

export const enqueued = name('Enqueued', z.object({ id: z.string(), created: z.boolean() }))

export const retryRequest = name(
  'RetryRequest',
  z.strictObject({ fromStep: z.string().min(1).max(200).optional() }),
)

export const newSignal = name(
  'NewSignal',
  z.strictObject({
    name: z.string().min(1).max(200),
    payload: payload.optional(),
    id: z.string().min(1).max(200).optional(),
  }),
)

export const signalled = name('Signalled', z.object({ executionId: z.string(), taken: z.boolean() }))

export const lease = name(
  'Lease',
  z.object({
    executionId: z.string(),
    fence: z.int(),
    job: z.string(),
    handler: z.string(),
    attempt: z.int(),
    input: payload,
    scheduledFor: instant,
    idempotencyKey: z.string(),
    metadata,
    leasedUntil: instant,
  }),
)

export const acquiredLeases = name('AcquiredLeases', z.object({ leases: z.array(lease) }))

export const extendedLease = name(
  'ExtendedLease',
  z.object({ leasedUntil: instant, cancelRequested: z.boolean() }),
)

export const leaseRequest = name(
  'LeaseRequest',
  z.strictObject({
    worker: z.string().min(1).max(150),
    queue: z.string().min(1).max(200).default('default'),
    handlers: z.array(z.string().min(1).max(200)).min(1).max(200),
    lease: duration.default('30s'),
    limit: z.int().min(1).max(100).default(1),
  }),
)

const held = {
  worker: z.string().min(1).max(150),
  executionId: z.string().min(1).max(64),
  fence: z.int().min(1),
}

export const leaseExtension = name(
  'LeaseExtension',
  z.strictObject({ ...held, lease: duration.default('30s') }),
)

/** `error` is tried again by the job's policy, `fail` never; `snooze` costs no attempt. */
export const leaseRelease = name(
  'LeaseRelease',
  z.discriminatedUnion('outcome', [
    z.strictObject({ ...held, outcome: z.literal('done'), result: payload.optional() }),
    z.strictObject({ ...held, outcome: z.literal('error'), message: z.string().max(8_192) }),
    z.strictObject({ ...held, outcome: z.literal('fail'), message: z.string().max(8_192) }),
    z.strictObject({ ...held, outcome: z.literal('snooze'), after: duration }),
  ]),
)

export const releasedLease = name('ReleasedLease', z.object({ state: z.enum(executionStates) }))
