/** Flows and batches, as the API shows them and as they are written. */
import { z } from 'zod'
import { executionStates } from '../../core/execution/execution-state.ts'
import { flowStates, longestStepName, mostSteps, onFailures } from '../../core/flow/flow.ts'
import { newExecution } from './execution.ts'
import { instant, metadata, name, nextCursor, page, payload } from './named.ts'

const counts = z.object({ total: z.int(), completed: z.int(), failed: z.int(), cancelled: z.int() })

const flow = name(
  'Flow',
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    state: z.enum(flowStates),
    counts,
    createdAt: instant,
    finishedAt: instant.nullable(),
  }),
)

export const flowList = name('FlowList', z.object({ flows: z.array(flow), nextCursor }))

export const flowQuery = z.strictObject({
  state: z.enum(flowStates).optional(),
  name: z.string().max(200).optional(),
  ...page,
})

export const flowDetail = name(
  'FlowDetail',
  flow.extend({
    steps: z.array(
      z.object({
        name: z.string(),
        job: z.string(),
        after: z.array(z.string()),
        onFailure: z.enum(onFailures),
        executionId: z.string(),
        state: z.enum(executionStates),
        retries: z.int(),
        startedAt: instant.nullable(),
        finishedAt: instant.nullable(),
        durationMs: z.number().nullable(),
      }),
    ),
    actions: z.array(z.enum(['cancel', 'retry'])),
  }),
)

const { runAt, priority, queue } = newExecution.shape
const stepOptions = z.strictObject({ runAt, priority, queue, metadata: metadata.optional() })

export const newFlow = name(
  'NewFlow',
  z.strictObject({
    name: z.string().min(1).max(200).optional(),
    steps: z.record(
      z.string().max(longestStepName),
      z.strictObject({
        job: z.string().min(1).max(200),
        input: payload.optional(),
        after: z.array(z.string().max(longestStepName)).max(mostSteps).optional(),
        onFailure: z.enum(onFailures).optional(),
        options: stepOptions.optional(),
      }),
    ),
  }),
)

export const madeFlow = name(
  'MadeFlow',
  z.object({ id: z.string(), executions: z.record(z.string(), z.string()) }),
)

export const retryFlow = name(
  'RetryFlow',
  z.strictObject({ from: z.string().min(1).max(longestStepName).optional() }),
)

export const batch = name(
  'Batch',
  z.object({
    id: z.string(),
    name: z.string().nullable(),
    counts,
    createdAt: instant,
    doneAt: instant.nullable(),
    onDoneId: z.string().nullable(),
  }),
)

export const batchList = name('BatchList', z.object({ batches: z.array(batch), nextCursor }))
export const batchQuery = z.strictObject(page)

const { job, input, unique } = newExecution.shape
const item = z.strictObject({ job, input, options: stepOptions.extend({ unique }).optional() })

export const newBatch = name(
  'NewBatch',
  z.strictObject({
    name: z.string().min(1).max(200).optional(),
    items: z.array(item).max(10_000),
    onDone: z.strictObject({ job, input, options: stepOptions.optional() }).optional(),
  }),
)
