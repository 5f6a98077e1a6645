/** From the stored spec back to the options that its user would write. */
import type { JobSpec } from '../core/job/job.ts'
import type { JobOptions } from './job-options.ts'
import { scheduleView } from './views.ts'

export function optionsOfSpec(spec: JobSpec): JobOptions {
  const { catchUp, retry, retention } = spec
  return {
    ...(spec.schedule === null ? {} : { schedule: scheduleView(spec.schedule) }),
    catchUp: {
      policy: catchUp.policy,
      maxMissedRuns: catchUp.maxMissedRuns,
      grace: catchUp.graceMs,
      ...(catchUp.windowMs === null ? {} : { window: catchUp.windowMs }),
    },
    overlap: spec.overlap,
    ...(spec.overlap === 'allow' ? {} : { maxConcurrent: spec.maxConcurrent }),
    retry: {
      attempts: retry.attempts,
      base: retry.baseMs,
      factor: retry.factor,
      max: retry.maxMs,
      jitter: retry.jitter,
    },
    onCrash: spec.onCrash,
    ...(spec.timeoutMs === null ? {} : { timeout: spec.timeoutMs }),
    ...(spec.startDeadlineMs === null ? {} : { startDeadline: spec.startDeadlineMs }),
    jitter: spec.jitterMs,
    priority: spec.priority,
    queue: spec.queue,
    ...(spec.startAt === null ? {} : { startAt: new Date(spec.startAt) }),
    ...(spec.endAt === null ? {} : { endAt: new Date(spec.endAt) }),
    ...(spec.maxRuns === null ? {} : { maxRuns: spec.maxRuns }),
    retention: { executions: retention.executions, age: retention.ageMs },
    tags: spec.tags,
    ...(spec.description === null ? {} : { description: spec.description }),
    metadata: spec.metadata,
  }
}

/** What is given replaces what is stored, field by field, also inside catchUp, retry and retention. */
export function mergedOptions(stored: JobOptions, given: JobOptions): JobOptions {
  const { maxConcurrent, ...kept } = stored
  // The stored limit means nothing to `allow`: only one that is asked for contradicts it.
  const limit = given.overlap === 'allow' || maxConcurrent === undefined ? {} : { maxConcurrent }
  const catchUp = typeof given.catchUp === 'string' ? { policy: given.catchUp } : given.catchUp
  return {
    ...kept,
    ...limit,
    ...given,
    ...merged('catchUp', kept.catchUp as object, catchUp),
    ...merged('retry', kept.retry, given.retry),
    ...merged('retention', kept.retention, given.retention),
  }
}

function merged(key: string, stored: object | undefined, given: object | undefined): object {
  return given === undefined ? {} : { [key]: { ...stored, ...given } }
}
