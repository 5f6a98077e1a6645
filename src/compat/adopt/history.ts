/** What has run in another system, as finished executions of the jobs that were made of its rows. */
import type { AppContext } from '../../app/app-context.ts'
import { storable } from '../../core/payload.ts'
import { errorFrom } from '../../engine/worker/outcome-signal.ts'
import type { ForeignRow } from '../../store/foreign.ts'
import type { AdoptedExecution } from '../../store/store.ts'
import { scanIdKey } from '../enhanced-scheduler/history-entry.ts'
import { type AdoptOptions, adoptedId, eachPage, markOf, type Tally } from './adoption.ts'
import { dataIn, instantIn, numberIn, otherColumns, recordIn, textIn, Unreadable } from './cells.ts'

/** The words of both documents. */
const states: Readonly<Record<string, 'completed' | 'failed' | 'cancelled'>> = {
  completed: 'completed',
  success: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
}

const ownColumns = [
  'id',
  'execution_id',
  'job_id',
  'schedule_id',
  'status',
  'started_at',
  'start_time',
  'completed_at',
  'duration_ms',
  'error',
  'error_message',
  'metadata',
  'result',
  'created_at',
  'retry_attempt',
  'scan_id',
]

interface PastRun {
  readonly jobs: readonly string[]
  readonly was: string
  readonly execution: AdoptedExecution
}

/** `names` has the jobs by what the rows call them. Returns how many rows there were. */
export async function adoptHistory(
  app: AppContext,
  kind: string,
  names: ReadonlyMap<string, string>,
  tally: Tally,
  options: AdoptOptions,
): Promise<number> {
  const { dryRun } = options
  const read = (cells: ForeignRow): PastRun => {
    const run = pastRun(kind, cells, options.table)
    storable(run.execution.metadata, 'metadata', app.maxPayloadBytes)
    return run
  }
  const phase = dryRun ? 'checking' : 'importing'
  return await eachPage(options, { keys: ['id', 'execution_id'], read, left: tally, phase }, async (page) => {
    const ofJobs = new Map<string, PastRun[]>()
    for (const run of page) {
      const job = run.jobs.map((id) => names.get(id)).find((name) => name !== undefined)
      if (job === undefined) tally.add(`run: ${run.was}`, 'nothing: its job was not imported')
      else ofJobs.set(job, [...(ofJobs.get(job) ?? []), run])
    }
    const { compat } = app.store
    for (const [job, runs] of ofJobs) {
      const executions = runs.map(({ execution }) => execution)
      const known = new Set(await compat.knownMarks(executions.map(({ mark }) => mark)))
      if (!dryRun) {
        const made = new Set(await compat.adoptExecutions({ job, executions, now: app.clock.now() }))
        for (const { mark } of executions) if (!made.has(mark)) known.add(mark)
      }
      for (const { was, execution } of runs) {
        const became = known.has(execution.mark)
          ? 'nothing: it was imported before'
          : `history: ${execution.state}`
        tally.add(`run: ${was}`, became)
      }
    }
    await app.rest()
  })
}

function pastRun(kind: string, row: ForeignRow, table: string): PastRun {
  const id = textIn(row, 'execution_id', 'id')
  if (id === null) throw new Unreadable('it has no id')
  const was = textIn(row, 'status') ?? ''
  const state = Object.hasOwn(states, was) ? states[was] : undefined
  if (state === undefined) {
    throw new Unreadable(
      `its status is "${was}": it has not ended there`,
      'Wait for its end there, and import again.',
    )
  }
  const startedAt = instantIn(row, 'started_at', 'start_time', 'created_at')
  const durationMs = numberIn(row, 'duration_ms')
  const finishedAt =
    instantIn(row, 'completed_at') ?? (startedAt === null ? null : startedAt + (durationMs ?? 0))
  if (finishedAt === null) throw new Unreadable('it has neither a start nor an end')
  const beganAt = startedAt ?? finishedAt
  const message = textIn(row, 'error_message', 'error')
  const scanId = textIn(row, 'scan_id')
  const others = otherColumns(row, ownColumns)
  const mark = markOf(`${kind}-history`, id, beganAt)
  const execution: AdoptedExecution = {
    id: adoptedId(mark, beganAt),
    mark,
    state,
    attempt: (numberIn(row, 'retry_attempt') ?? 0) + 1,
    input: undefined,
    result: state === 'completed' ? dataIn(row['result'] ?? null) : undefined,
    error: state === 'failed' || message !== null ? errorFrom(message ?? 'The run failed.') : null,
    metadata: {
      ...recordIn(row, 'metadata'),
      ...(scanId === null ? {} : { [scanIdKey]: scanId }),
      imported: { table, id, ...(Object.keys(others).length === 0 ? {} : { columns: others }) },
    },
    uniqueKey: null,
    leasedBy: null,
    createdAt: beganAt,
    startedAt: startedAt ?? null,
    finishedAt: Math.max(finishedAt, beganAt),
  }
  const jobs = [textIn(row, 'job_id'), textIn(row, 'schedule_id')].filter((name) => name !== null)
  return { jobs, was, execution }
}
