/** `/jobs/bulk`: the same action on all jobs that match. */
import { z } from 'zod'
import type { Principal } from '../../app/access/principal.ts'
import { type BulkAction, type BulkProgress, bulkActions } from '../../app/job/actions/bulk-jobs.ts'
import { EvertickError } from '../../core/error.ts'
import { endpoint } from '../endpoint.ts'
import { progressStream } from '../progress-stream.ts'
import { bulk } from '../schemas/job.ts'
import { duration, givenInstant } from '../schemas/named.ts'

/** A hundred steps are enough for a progress bar. */
function everyPercent(tell: (progress: BulkProgress) => void): (progress: BulkProgress) => void {
  return (progress) => {
    const { done, total } = progress
    if (done === 1 || done === total || done % Math.ceil(total / 100) === 0) tell(progress)
  }
}

/** Operators may apply every action but this one. */
function refuseDeletion(action: BulkAction, principal: Principal | null): void {
  if (action !== 'delete' || principal?.role === 'admin') return
  throw new EvertickError('forbidden', 'Deleting jobs needs the role admin.')
}

export const bulkRoute = endpoint({
  method: 'post',
  path: '/jobs/bulk',
  role: 'operator',
  tag: 'Jobs',
  summary: 'Apply one action to all matching jobs; streams its progress if Accept asks for a stream',
  body: z.strictObject({
    action: z.enum(bulkActions),
    filter: z.string().max(500),
    reason: z.string().max(2_000).optional(),
    until: z.union([givenInstant, duration]).optional(),
    catchUp: z.enum(['skip', 'policy', 'latest', 'all']).optional(),
    confirm: z.int().min(0).optional(),
    dryRun: z.boolean().default(false),
  }),
  answers: bulk,
  run: async ({ evertick, body: { action, filter, ...options }, by, principal }) => {
    refuseDeletion(action, principal)
    return await evertick.jobs.bulk(action, { filter }, { ...by, ...options })
  },
  stream: async ({ evertick, body: { action, filter, ...options }, by, principal }, type) => {
    refuseDeletion(action, principal)
    return await progressStream(type, async (tell) => {
      const onProgress = everyPercent(tell)
      return await evertick.jobs.bulk(action, { filter }, { ...by, ...options, onProgress })
    })
  },
})
