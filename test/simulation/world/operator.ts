/** What people do to jobs, through a node or through a process of their own. */

import { contextOf } from '../../../src/app/app-context.ts'
import { EvertickError } from '../../../src/core/error.ts'
import { stableHash } from '../../../src/core/stable-hash.ts'
import type { Evertick } from '../../../src/evertick.ts'
import type { Store } from '../../../src/store/store.ts'
import type { OperatorStep } from '../plan/plan.ts'
import type { Life } from './life.ts'

/** A signal for the moment of a timeout waits for it this long at most, and comes at most this much after it. */
const longestLurkMs = 10_000
const lurkMs = 250

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
    case 'signal':
      return await signal(evertick, step, life)
    case 'answer_all':
      return await answerAll(evertick, step.job)
    case 'burst':
      return await evertick.enqueueMany(Array.from({ length: step.count }, () => ({ job: step.job })))
    case 'enqueue':
      return await evertick.enqueue(step.job, null, step.unique === null ? {} : { unique: step.unique })
  }
}

async function signal(
  evertick: Evertick,
  { job, wait, id, to }: Extract<OperatorStep, { kind: 'signal' }>,
  life: Life,
): Promise<unknown> {
  if (typeof to === 'object') return await evertick.signal({ job, key: to.key }, wait, { id }, { id })
  const { executions } = await evertick.executions.list({ job, limit: 10 })
  const found = executions.find(({ finishedAt }) => (finishedAt === null) === (to === 'unfinished'))
  if (found === undefined) return null
  if (stableHash(id) % 2 === 0) await untilTimeout(evertick, found.id, wait, life)
  return await evertick.signal(found.id, wait, { id }, { id })
}

/** Of a wait that is open: until just after its end, when its timeout is about to be written. */
async function untilTimeout(evertick: Evertick, id: string, wait: string, life: Life): Promise<void> {
  const { steps } = await evertick.executions.get(id)
  const open = steps.find(({ name, outcome }) => name === wait && outcome === 'open')
  const leftMs = (open?.until?.getTime() ?? 0) - life.clock.now()
  if (leftMs > 0 && leftMs < longestLurkMs) await life.nap(leftMs + (stableHash(`${id} ${wait}`) % lurkMs))
}

/** Some that wait are cancelled instead. */
async function answerAll(evertick: Evertick, job: string): Promise<void> {
  const states = ['waiting', 'running', 'blocked'] as const
  const lists = await Promise.all(states.map((state) => evertick.executions.list({ job, state, limit: 100 })))
  for (const { id } of lists.flatMap(({ executions }) => executions)) {
    const { steps } = await evertick.executions.get(id)
    const [wait] = steps.filter(({ kind, outcome }) => kind === 'wait' && outcome === 'open')
    if (wait === undefined) continue
    if (stableHash(id) % 4 === 0) await evertick.executions.cancel(id)
    else await evertick.signal(id, wait.name, { id })
  }
}

async function prune({ ticks }: Store, now: number): Promise<void> {
  for (let afterJobId: string | null = ''; afterJobId !== null; ) {
    afterJobId = (await ticks.purgeHistory({ afterJobId, jobs: 2, now })).lastJobId
  }
}
