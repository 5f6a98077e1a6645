/**
 * The rows of somebody's own `processing_jobs` as executions of ours. As long as a lease there is alive, the old workers are
 * at work, and would run what is imported a second time: nothing is written then.
 */
import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import { applyJob } from '../../app/job/apply-jobs.ts'
import { storable } from '../../core/payload.ts'
import { errorFrom } from '../../engine/worker/outcome-signal.ts'
import type { Evertick } from '../../evertick.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import type { AdoptedExecution } from '../../store/store.ts'
import { type ProcessingJobStatus, processingJobStatuses } from '../processing/processing-job.ts'
import { defaultQueue, jobNameOf, maxAttempts, processingDefinition } from '../processing/processing-queue.ts'
import {
  type AdoptOptions,
  type AdoptReport,
  adoptedId,
  eachPage,
  markOf,
  refuseMissingTable,
  Tally,
} from './adoption.ts'
import { dataIn, instantIn, numberIn, otherColumns, textIn, Unreadable } from './cells.ts'

export interface AdoptProcessingJobs extends AdoptOptions {
  /** @default 'processing' */
  readonly queue?: string | undefined
  /** Also what is done or has failed. */
  readonly history: boolean
  /** The old workers run no more: their leases count for nothing. */
  readonly workersStopped: boolean
}

export interface AdoptedProcessingJobs extends AdoptReport {
  readonly queue: string
  /** How many leases are alive there: then nothing was written. */
  readonly alive: number
}

const kind = 'processing-jobs'

export interface ProcessingRow {
  readonly id: string
  readonly jobId: string | null
  readonly mark: string
  readonly status: ProcessingJobStatus
  readonly lockedBy: string | null
  readonly lockedUntil: number | null
  readonly attempts: number
  readonly lastError: string | null
  readonly createdAt: number
  readonly updatedAt: number
  readonly payload: unknown
  readonly result: unknown
  readonly others: Readonly<Record<string, unknown>>
}

export async function adoptProcessingJobs(
  evertick: Evertick,
  options: AdoptProcessingJobs,
): Promise<AdoptedProcessingJobs> {
  const app = contextOf(evertick)
  const { queue = defaultQueue, table, dryRun, workersStopped } = options
  await refuseMissingTable(options)
  const plan = await goThrough(app, options, false)
  const alive = workersStopped ? 0 : plan.alive
  const answer = { table, queue, dryRun, alive }
  if (dryRun || alive > 0) return { ...answer, ...plan.report }
  await applyJob(app, processingDefinition(queue), 'code')
  const { report } = await goThrough(app, options, true)
  app.enqueued()
  return { ...answer, ...report }
}

/** Twice: to see whether somebody is at work, and to write. What changes in between is seen by the second. */
async function goThrough(app: AppContext, options: AdoptProcessingJobs, write: boolean) {
  const { queue = defaultQueue, workersStopped } = options
  const now = app.clock.now()
  const tally = new Tally()
  let alive = 0
  const read = (cells: ForeignRow) => {
    const row = processingRow(cells)
    storable(row.payload, 'payload', app.maxPayloadBytes)
    return row
  }
  const phase = write ? 'importing' : 'checking'
  const rows = await eachPage(options, { keys: ['id'], read, left: tally, phase }, async (page) => {
    const wanted = new Map<string, { execution: AdoptedExecution; row: ProcessingRow }>()
    for (const row of page) {
      const isAlive = row.status === 'processing' && row.lockedUntil !== null && row.lockedUntil > now
      if (isAlive && !workersStopped) {
        alive += 1
        tally.leave(row.id, aliveWords(row), 'Stop the old workers, wait for its end, and import again.')
      } else if (isOver(row) && !options.history) tally.add(row.status, 'nothing: it is over')
      else if (!isOver(row) && row.status !== 'processing' && row.attempts >= maxAttempts) {
        const why = `it is ${row.status} with ${row.attempts} attempts: no worker takes it`
        tally.leave(row.id, why, 'Lower its attempts there to have it tried again.')
      } else {
        wanted.set(row.mark, { execution: adoptedExecution(row, options, now), row })
      }
    }
    const executions = [...wanted.values()].map(({ execution }) => execution)
    const { compat } = app.store
    const known = new Set(await compat.knownMarks([...wanted.keys()]))
    if (write) {
      const made = new Set(await compat.adoptExecutions({ job: jobNameOf(queue), executions, now }))
      for (const mark of wanted.keys()) if (!made.has(mark)) known.add(mark)
    }
    for (const [mark, { execution, row }] of wanted) {
      tally.add(row.status, known.has(mark) ? 'nothing: it was imported before' : becomes(execution))
    }
  })
  return { alive, report: { rows, groups: tally.groups, left: tally.left } }
}

function isOver({ status }: ProcessingRow): boolean {
  return status === 'done' || status === 'failed'
}

function aliveWords({ lockedBy, lockedUntil }: ProcessingRow): string {
  const until = lockedUntil === null ? '' : ` until ${new Date(lockedUntil).toISOString()}`
  return `${lockedBy ?? 'a worker'} has leased it${until}`
}

function becomes({ state, attempt }: AdoptedExecution): string {
  if (state === 'pending') return 'pending'
  if (state === 'retrying') return `retrying, attempt ${attempt + 1} of ${maxAttempts} is next`
  return state
}

const ownColumns = [
  'id',
  'job_id',
  'status',
  'locked_by',
  'locked_until',
  'attempts',
  'last_error',
  'created_at',
  'updated_at',
]

/** The payload is the column of this name, or `data`; a table that has neither keeps it in columns of its own. */
export function processingRow(row: ForeignRow): ProcessingRow {
  const id = textIn(row, 'id')
  const status = textIn(row, 'status')
  const known = processingJobStatuses.find((word) => word === status)
  if (id === null) throw new Unreadable('it has no id')
  if (known === undefined) {
    throw new Unreadable(
      `its status is ${status === null ? 'missing' : `"${status}"`}`,
      `Give it one of ${processingJobStatuses.join(', ')} there.`,
    )
  }
  const jobId = textIn(row, 'job_id')
  const createdAt = instantIn(row, 'created_at') ?? 0
  const column = ['payload', 'data'].find((name) => name in row)
  const others = otherColumns(row, [...ownColumns, ...(column === undefined ? [] : [column, 'result'])])
  return {
    id,
    jobId,
    mark: markOf(kind, id, jobId, createdAt),
    status: known,
    lockedBy: textIn(row, 'locked_by'),
    lockedUntil: instantIn(row, 'locked_until'),
    attempts: numberIn(row, 'attempts') ?? 0,
    lastError: textIn(row, 'last_error'),
    createdAt,
    updatedAt: instantIn(row, 'updated_at') ?? createdAt,
    payload: column === undefined ? others : dataIn(row[column] ?? null),
    result: column === undefined ? null : dataIn(row['result'] ?? null),
    others: column === undefined ? {} : others,
  }
}

function adoptedExecution(row: ProcessingRow, { table }: AdoptOptions, now: number): AdoptedExecution {
  const { id, jobId, mark, status, attempts, lastError, createdAt, updatedAt, others } = row
  const state = stateOf(row)
  const isFinished = state === 'completed' || state === 'failed'
  const message = lastError ?? (status === 'processing' ? 'Its worker said nothing more.' : null)
  return {
    id: adoptedId(mark, createdAt),
    mark,
    state,
    attempt: attempts,
    input: row.payload,
    result: state === 'completed' ? row.result : undefined,
    error: state === 'completed' || message === null ? null : errorFrom(message),
    metadata: {
      ...(jobId === null ? {} : { job_id: jobId }),
      imported: { table, id, ...(Object.keys(others).length === 0 ? {} : { columns: others }) },
    },
    uniqueKey: jobId,
    leasedBy: isFinished ? row.lockedBy : null,
    createdAt,
    startedAt: null,
    finishedAt: isFinished ? (status === 'processing' ? now : updatedAt) : null,
  }
}

/** A lease that has ended goes back as the old worker would give it back at its start. */
function stateOf({ status, attempts }: ProcessingRow): AdoptedExecution['state'] {
  if (status === 'done') return 'completed'
  if (status === 'failed') return 'failed'
  if (status === 'processing' && attempts >= maxAttempts) return 'failed'
  return status === 'pending' && attempts === 0 ? 'pending' : 'retrying'
}
