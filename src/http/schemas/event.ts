/** Live events, as their clients read them. */
import { z } from 'zod'
import { executionStates } from '../../core/execution/execution-state.ts'
import { name } from './named.ts'

export const liveEvent = name(
  'LiveEvent',
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('execution'),
      id: z.string(),
      job: z.string(),
      state: z.enum(executionStates),
    }),
    z.object({ type: z.literal('executions'), job: z.string().nullable() }),
    z.object({ type: z.literal('job'), id: z.string(), job: z.string(), deleted: z.boolean() }),
    z.object({ type: z.literal('leader'), termId: z.int().nullable(), instance: z.string().nullable() }),
    z.object({ type: z.literal('lease'), id: z.string(), job: z.string() }),
  ]),
)
