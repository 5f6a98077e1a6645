/**
 * The health of a job. It is not its state: an active job can fail every time. The store computes the same for many jobs
 * at once (`job-health.ts`); a test compares the two.
 */

import { formatDuration } from '../schedule/duration.ts'
import { shellWord } from '../shell-word.ts'
import { handlerKey } from './handler.ts'
import type { Job, JobSpec } from './job.ts'
import { missingHandler } from './missing-handler.ts'

export const healthStates = ['ok', 'late', 'failing', 'disabled', 'never_ran', 'unknown'] as const
export type HealthState = (typeof healthStates)[number]

/** Jobs in each state. */
export type HealthCounts = Readonly<Record<HealthState, number>>

export interface Health {
  readonly state: HealthState
  readonly sentence: string
  /** Where it fails: how many final failures in a row. */
  readonly failures?: number
  /** What to do about it. */
  readonly next?: string
}

export interface HealthFacts {
  /** A live leader settles ticks and clears dead nodes away. */
  readonly led: boolean
  /** A live node has its handler. */
  readonly hasHandler: boolean
  /** Final failures in a row; 0 where nothing has ended yet, null where the last final outcome was a success. */
  readonly failures: number | null
  /** The execution that failed last. */
  readonly failedId: string | null
  /** When its oldest tick that is due and unstarted could have begun. */
  readonly unstartedSince: number | null
}

/** Ticks start within a second or two: a minute is more than a busy moment. */
const soonestLateMs = 60_000

/** A due tick that is unstarted for longer makes its job late. */
export function lateAfterMs({ catchUp: { graceMs } }: Pick<JobSpec, 'catchUp'>): number {
  return Math.max(graceMs, soonestLateMs)
}

export type HealthyJob = Pick<Job, 'name' | 'state' | 'spec' | 'nextDueAt'>

/** The first that holds: disabled, failing, late, never ran, ok. What only a leader could know is unknown without one. */
export function healthOf(job: HealthyJob, facts: HealthFacts, now: number): Health {
  const { led, failures, failedId } = facts
  const { name, state } = job
  if (state === 'cancelled')
    return { state: failures === 0 ? 'never_ran' : 'ok', sentence: 'It is cancelled.' }
  if (state === 'error') return invalidSchedule(name)
  if (state === 'disabled' || (led && state === 'active' && !facts.hasHandler))
    return { state: 'disabled', ...missingHandler(handlerKey(job.spec.handler)) }
  if (failures !== null && failures > 0) return failing(failures, failedId)
  if (!led) return unknown
  const since = lateSince(job, facts, now)
  if (since !== null) return late(name, now - since)
  if (failures === 0) return neverRan(job)
  return { state: 'ok', sentence: 'Its last run succeeded.' }
}

/** Since when it is late; null where it is not. */
function lateSince(job: HealthyJob, { unstartedSince }: HealthFacts, now: number): number | null {
  const undecided = job.state === 'active' ? job.nextDueAt : null
  const oldest = Math.min(unstartedSince ?? now, undecided ?? now)
  return now - oldest > lateAfterMs(job.spec) ? oldest : null
}

const unknown: Health = {
  state: 'unknown',
  sentence: 'There is no leader, so its health is not known.',
  next: 'Start a node with `evertick start`.',
}

function invalidSchedule(name: string): Health {
  return {
    state: 'disabled',
    sentence: 'Its schedule can no longer be evaluated.',
    next: `Give it another one: \`evertick jobs update ${shellWord(name)} --cron …\`.`,
  }
}

function failing(failures: number, id: string | null): Health {
  return {
    state: 'failing',
    sentence: failures === 1 ? 'Its last run failed.' : `Its last ${failures} runs failed.`,
    failures,
    ...(id === null ? {} : { next: `Read the error: \`evertick executions show ${id}\`.` }),
  }
}

function late(name: string, forMs: number): Health {
  const words = formatDuration(Math.floor(forMs / 1_000) * 1_000)
  return {
    state: 'late',
    sentence: `A tick has been due for ${words} and has not started.`,
    next: `See what it waits for: \`evertick why ${shellWord(name)}\`.`,
  }
}

function neverRan({ name, spec, state }: HealthyJob): Health {
  const sentence = 'It has not finished a run yet.'
  if (spec.schedule !== null || state === 'completed') return { state: 'never_ran', sentence }
  return {
    state: 'never_ran',
    sentence,
    next: `Run it: \`evertick jobs trigger ${shellWord(name)}\`.`,
  }
}
