/** A job's definition as its user would write it: durations as words, and nothing that is so anyway. */
import type { Answer, Job } from '../../../../src/client/index.ts'
import { formatDuration } from '../../../../src/core/schedule/duration.ts'

export type Revision = Answer<'GET /jobs/{id}/revisions'>['revisions'][number]
export type Definition = Readonly<Record<string, unknown>> & {
  readonly name: string
  readonly handler: Job['handler']
}

const usual: Readonly<Record<string, unknown>> = {
  catchUp: { policy: 'latest', maxMissedRuns: 100, grace: '1m' },
  overlap: 'skip',
  maxConcurrent: 1,
  retry: { attempts: 3, base: '1s', factor: 2, max: '1h', jitter: 0 },
  onCrash: 'retry',
  jitter: '0ms',
  priority: 0,
  queue: 'default',
  retention: { executions: 100, age: '30d' },
  tags: [],
  metadata: {},
}
const durationFields = new Set(['grace', 'window', 'base', 'max', 'timeout', 'startDeadline', 'age'])

export function newest(revisions: readonly Revision[]): Revision | undefined {
  return revisions.toSorted((one, other) => one.revision - other.revision).at(-1)
}

export function newestDefinition(job: Job, revisions: readonly Revision[]): Definition {
  const options = withWords(newest(revisions)?.options ?? {})
  const own = Object.entries(options).flatMap(([key, value]) => {
    const said = withoutUsual(value, usual[key])
    return said === undefined ? [] : [[key, said] as const]
  })
  return { name: job.name, handler: job.handler, ...Object.fromEntries(own) }
}

/** Durations that are stored as milliseconds, as text. */
export function withWords(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(options).map(([key, value]) => {
      // At the top `jitter` is a duration; in `retry` it is a share.
      if (
        (durationFields.has(key) || (key === 'jitter' && 'overlap' in options)) &&
        typeof value === 'number'
      ) {
        return [key, durationText(value)]
      }
      const isPlain = typeof value === 'object' && value !== null && !Array.isArray(value)
      return [key, isPlain && key !== 'metadata' ? withWords(value as Record<string, unknown>) : value]
    }),
  )
}

function durationText(ms: number): string {
  return ms === 0 ? '0ms' : formatDuration(ms).replaceAll(' ', '')
}

function withoutUsual(value: unknown, standard: unknown): unknown {
  if (JSON.stringify(value) === JSON.stringify(standard)) return undefined
  const areBoth = [value, standard].every(
    (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
  )
  if (!areBoth) return value
  const told = Object.entries(value as object).filter(
    ([key, part]) => JSON.stringify(part) !== JSON.stringify((standard as Record<string, unknown>)[key]),
  )
  return told.length === 0 ? undefined : Object.fromEntries(told)
}
