/** `evertick.why`: why a job or an execution does not run, in one sentence with the next step. */

import { actorName } from '../../core/access/person.ts'
import type { Execution } from '../../core/execution/execution.ts'
import { isFinal } from '../../core/execution/execution-state.ts'
import { standingOf } from '../../core/execution/standing.ts'
import type { Job } from '../../core/job/job.ts'
import { nothingNamed } from '../../core/nothing-named.ts'
import { formatDuration } from '../../core/schedule/duration.ts'
import { shellWord } from '../../core/shell-word.ts'
import type { AppContext } from '../app-context.ts'
import { waitsFor } from '../execution/waits.ts'
import type { JobView } from '../views.ts'
import { oneJobView } from './job-views.ts'

export interface Why {
  readonly sentence: string
  readonly reason: string
  readonly next?: string
}

/** A job by name or id, else an execution by its id. */
export async function whyOf(app: AppContext, reference: string): Promise<Why> {
  const job = await app.store.jobs.findJob(reference)
  if (job !== null) return await whyJob(app, job)
  const execution = await app.store.executions.findExecution(reference)
  if (execution !== null) return await whyExecution(app, execution)
  throw nothingNamed(reference)
}

export async function whyExecution(app: AppContext, execution: Execution): Promise<Why> {
  const waits = (await waitsFor(app, [execution])).get(execution.id)
  if (waits === undefined) return standingOf(execution, app.clock.now())
  const { reason, sentence, next } = waits
  return { reason, sentence, ...(next === undefined ? {} : { next }) }
}

/** What keeps it from running now, and its health if that is bad. */
export async function whyJob(app: AppContext, job: Job): Promise<Why> {
  const view = await oneJobView(app, job)
  const { state, sentence, next } = view.health
  const step = next === undefined ? {} : { next }
  // These explain it alone.
  if (job.state === 'error') return { reason: 'invalid_spec', sentence, ...step }
  if (state === 'disabled') return { reason: 'no_handler', sentence, ...step }
  if (state === 'unknown') return { reason: 'no_leader', sentence, ...step }
  const kept = await keptBy(app, job, view)
  if (state !== 'failing') return kept
  const rests = kept.reason === 'scheduled' || kept.reason === 'on_demand'
  const also = `${kept.sentence.charAt(0).toLowerCase()}${kept.sentence.slice(1)}`
  return {
    ...kept,
    ...step,
    reason: rests ? 'failing' : kept.reason,
    sentence: `${sentence.slice(0, -1)}; ${also}`,
  }
}

async function keptBy(app: AppContext, job: Job, view: JobView): Promise<Why> {
  const { name } = job
  const last = await lastUnfinished(app, job)
  if (last?.state === 'running') return standingOf(last, app.clock.now())
  if (job.pause !== null) {
    const { by, reason } = job.pause
    return {
      reason: 'paused',
      sentence: `It was paused by ${actorName(by)}${reason === null ? '' : `: ${reason}`}.`,
      next: `Resume it: \`evertick jobs resume ${shellWord(name)}\`.`,
    }
  }
  if (last !== null) return await whyExecution(app, last)
  if (view.nextRunAt !== null) {
    const ms = Math.ceil((view.nextRunAt.getTime() - app.clock.now()) / 1_000) * 1_000
    return {
      reason: 'scheduled',
      sentence: `Its next tick is due in ${formatDuration(Math.max(1_000, ms))}.`,
    }
  }
  if (job.state === 'active')
    return {
      reason: 'on_demand',
      sentence: 'It has no schedule: it runs when somebody triggers or enqueues it.',
      next: `Run it: \`evertick jobs trigger ${shellWord(name)}\`.`,
    }
  return {
    reason: 'ended',
    sentence: `It is ${job.state}: nothing more of it is due.`,
    next: `Give it a schedule again: \`evertick jobs update ${shellWord(name)} --cron …\`.`,
  }
}

/** Its last unfinished execution that is ready. One that only waits for a later tick is not a reason. */
async function lastUnfinished({ store, clock }: AppContext, { id }: Job): Promise<Execution | null> {
  const now = clock.now()
  const [last] = await store.executions.lastExecutions([id], now)
  if (last === undefined) return null
  const { execution } = last
  const { state, readyAt } = execution
  const isLater = (state === 'pending' || state === 'blocked') && readyAt > now
  return isFinal(state) || isLater ? null : execution
}
