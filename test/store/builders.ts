/** Specs, jobs and requests with every field filled in, so that a test names only what it is about. */
import { createHash } from 'node:crypto'
import type { JobSpec } from '../../src/core/job/job.ts'
import type { CatchUpSpec } from '../../src/core/job/options.ts'
import type { ScheduleSpec } from '../../src/core/schedule/schedule.ts'
import type { ScriptContext } from '../../src/store/sql/runtime/script.ts'
import type {
  ChangeContext,
  Claim,
  NewExecution,
  NewJob,
  NodeRow,
  StepRecord,
} from '../../src/store/store.ts'

export const second = 1_000
export const minute = 60_000
export const hour = 3_600_000
export const day = 86_400_000

/** A Monday, midnight UTC: where made-up time begins. */
export const t0 = Date.UTC(2027, 0, 4)

/** Ticks at `t0 + n * everyMs`. */
export function every(everyMs: number): ScheduleSpec {
  return { kind: 'every', everyMs, anchorAt: t0 }
}

type SpecOverrides = Partial<Omit<JobSpec, 'catchUp' | 'retry' | 'retention'>> & {
  readonly catchUp?: Partial<CatchUpSpec>
  readonly retry?: Partial<JobSpec['retry']>
  readonly retention?: Partial<JobSpec['retention']>
}

export function jobSpec({ catchUp, retry, retention, ...overrides }: SpecOverrides = {}): JobSpec {
  return {
    schedule: every(10 * second),
    handler: { type: 'function', name: 'work' },
    catchUp: { policy: 'latest', maxMissedRuns: 100, windowMs: null, graceMs: 5 * second, ...catchUp },
    overlap: 'skip',
    maxConcurrent: 1,
    retry: { attempts: 3, baseMs: second, factor: 2, maxMs: hour, jitter: 0, ...retry },
    onCrash: 'retry',
    timeoutMs: null,
    quota: { cpuMs: null, memory: null, processes: null, output: null },
    startDeadlineMs: null,
    jitterMs: 0,
    priority: 0,
    queue: 'default',
    startAt: null,
    endAt: null,
    maxRuns: null,
    retention: { executions: 100, ageMs: 30 * day, failedMs: null, ledgerMs: 400 * day, ...retention },
    tags: [],
    description: null,
    metadata: {},
    input: null,
    inputSchema: null,
    ...overrides,
  }
}

export function by(now: number, actor = 'ann'): ChangeContext {
  return { now, actor }
}

/** The id for a readable name: a UUID that begins with its letters, so that ids sort as their names do. */
export function idOf(name: string): string {
  const letters = Buffer.from(name).toString('hex')
  const hash = createHash('sha256').update(name).digest('hex')
  const digits = letters.length > 30 ? letters.slice(0, 18) + hash.slice(0, 12) : letters.padEnd(30, '0')
  const versioned = `${digits.slice(0, 12)}7${digits.slice(12, 15)}8${digits.slice(15)}`
  return versioned.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The name that `idOf` was given, where it has at most fifteen bytes. */
export function nameOf(id: string): string {
  const digits = id.replaceAll('-', '')
  const letters = digits.slice(0, 12) + digits.slice(13, 16) + digits.slice(17)
  return Buffer.from(letters, 'hex').toString().replace(/\0+$/, '')
}

export function newJob(name: string, spec: JobSpec = jobSpec(), now = t0): NewJob {
  return {
    id: idOf(`job-${name}`),
    name,
    spec,
    managedBy: 'code',
    managedHash: null,
    paused: false,
    context: by(now, 'code'),
  }
}

export function newExecution(
  name: string,
  jobName: string,
  overrides: Partial<NewExecution> = {},
): NewExecution {
  const at = overrides.createdAt ?? t0
  return {
    id: idOf(name),
    jobName,
    cause: 'enqueue',
    scheduledFor: at,
    readyAt: at,
    queue: null,
    priority: null,
    input: undefined,
    metadata: {},
    uniqueKey: null,
    createdAt: at,
    ...overrides,
  }
}

/** A step that is done; an open sleep or wait by `kind` and `decided: null`. */
export function stepRecord(
  { id, fence }: Claim,
  name: string,
  overrides: Partial<Omit<StepRecord, keyof Claim | 'name'>> = {},
): StepRecord {
  const begunAt = overrides.begunAt ?? t0
  const decided = { at: begunAt, outcome: 'done', result: '1' } as const
  return { id, fence, name, kind: 'step', attempt: 1, tries: 1, begunAt, endsAt: null, decided, ...overrides }
}

export function node(id: string, seenAt = t0): NodeRow {
  return {
    id,
    host: 'host',
    pid: 1,
    roles: ['scheduler', 'worker'],
    queues: { default: 10 },
    version: '0.0.0',
    leaseMs: 30 * second,
    startedAt: seenAt,
    seenAt,
  }
}

/** Ids in the order of their making, the same in every run. */
export function scriptContext(prefix = 'x'): ScriptContext {
  let made = 0
  return {
    newId: () => {
      made += 1
      return idOf(`${prefix}-${String(made).padStart(6, '0')}`)
    },
    tzVersion: process.versions.tz ?? 'unknown',
  }
}
