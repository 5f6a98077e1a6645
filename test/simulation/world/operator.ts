/** What people do to jobs, through a node or through a process of their own. */

import { contextOf } from '../../../src/app/app-context.ts'
import { EvertickError } from '../../../src/core/error.ts'
import type { Evertick } from '../../../src/evertick.ts'
import type { Store } from '../../../src/store/store.ts'
import type { OperatorStep } from '../plan/plan.ts'
import type { Life } from './life.ts'

/** What an operator may be told; anything else that is thrown is a fault of ours. */
const refusals = ['conflict', 'not_found', 'usage', 'unavailable']

export async function operate(evertick: Evertick, step: OperatorStep, life: Life): Promise<string> {
  try {
    await act(evertick, step, life)
    return 'done'
  } catch (error) {
    const simulated = (error as Error).message.startsWith('simulated')
    if (!simulated && !(error instanceof EvertickError && refusals.includes(error.kind))) throw error
    return (error as Error).message
  }
}

async function act(evertick: Evertick, step: OperatorStep, life: Life): Promise<unknown> {
  const { jobs, executions, queues, locks } = evertick
  switch (step.kind) {
    case 'pause':
      return await jobs.pause(step.job, step.forMs === null ? {} : { until: step.forMs })
    case 'resume':
      return await jobs.resume(step.job, { catchUp: step.catchUp })
    case 'edit':
      return await jobs.update(step.job, step.options)
    case 'trigger':
      return await jobs.trigger(step.job, { force: step.force })
    case 'backfill': {
      const now = life.clock.now()
      return await jobs.backfill(step.job, { from: new Date(now - step.agoMs), to: new Date(now) })
    }
    case 'cancel':
      return await jobs.cancel(step.job)
    case 'delete':
      return await jobs.delete(step.job)
    case 'reset_cursor':
      return await jobs.resetCursor(step.job)
    case 'cancel_execution': {
      const { executions: found } = await executions.list({ job: step.job, limit: 5 })
      const open = found.find(({ finishedAt }) => finishedAt === null)
      return open === undefined ? null : await executions.cancel(open.id)
    }
    case 'retry_execution':
      return await jobs.retry(step.job)
    case 'pause_queue':
      return await queues.pause('default')
    case 'resume_queue':
      return await queues.resume('default')
    case 'prune':
      return await prune(contextOf(evertick).store, life.clock.now())
    case 'lock': {
      const lock = await locks.acquire('shared', { ttl: step.ttlMs })
      await life.nap(step.holdMs)
      return await lock?.release()
    }
    case 'burst':
      return await evertick.enqueueMany(Array.from({ length: step.count }, () => ({ job: step.job })))
    case 'enqueue':
      return await evertick.enqueue(step.job, null, step.unique === null ? {} : { unique: step.unique })
  }
}

async function prune({ ticks }: Store, now: number): Promise<void> {
  for (let afterJobId: string | null = ''; afterJobId !== null; ) {
    afterJobId = (await ticks.purgeHistory({ afterJobId, jobs: 2, now })).lastJobId
  }
}
