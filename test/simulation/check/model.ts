/** The database as its committed changes tell it. */
import { isFinal } from '../../../src/core/execution/execution-state.ts'
import type { JobSpec } from '../../../src/core/job/job.ts'
import { specFrom } from '../../../src/store/sql/runtime/rows.ts'
import type {
  Change,
  ExecutionRow,
  JobRow,
  LockRow,
  QueueRow,
  RangeRow,
  ReserveRow,
  StepRow,
} from './change-log.ts'

export class Model {
  readonly jobs = new Map<string, JobRow>()
  readonly executions = new Map<string, ExecutionRow>()
  readonly locks = new Map<string, LockRow>()
  readonly queues = new Map<string, QueueRow>()
  readonly #reserves = new Map<string, ReserveRow>()
  readonly #ranges = new Map<string, Map<number, RangeRow>>()
  readonly #steps = new Map<string, Map<string, StepRow>>()
  /** By job: what is unfinished, enqueued work too. */
  readonly #open = new Map<string, Map<string, ExecutionRow>>()
  /** By job: what each of its revisions said. */
  readonly #specs = new Map<string, Map<number, string>>()

  job(id: string): JobRow {
    const found = this.jobs.get(id)
    if (found === undefined) throw new Error(`no job ${id}`)
    return found
  }

  spec(jobId: string): JobSpec {
    return specFrom(this.job(jobId).spec)
  }

  /** As it was in a revision, which rows of the ledger outlive. */
  specIn(jobId: string, revision: number): JobSpec {
    const found = this.#specs.get(jobId)?.get(revision)
    if (found === undefined) throw new Error(`no revision ${revision} of job ${jobId}`)
    return specFrom(found)
  }

  nameOf(jobId: string): string {
    return this.jobs.get(jobId)?.name ?? jobId
  }

  /** Unfinished executions of a job. */
  open(jobId: string): ExecutionRow[] {
    return [...(this.#open.get(jobId)?.values() ?? [])]
  }

  /** Its handler has begun under its present lease: by its own row, or by its place in its holder's reserve. */
  hasBegun({ state, started_at, leased_by, queue, reserve_place: place }: ExecutionRow): boolean {
    if (state !== 'running') return false
    if (started_at !== null || place === null) return started_at !== null
    const reserve = this.#reserves.get(`${leased_by} ${queue}`)
    return reserve !== undefined && place >= reserve.from_place && place <= reserve.begun_to
  }

  /** Attempts of it that have begun, the one under way among them. */
  begunAttempts(execution: ExecutionRow): number {
    const unnoted = execution.started_at === null && this.hasBegun(execution)
    return execution.attempt + (unnoted ? 1 : 0)
  }

  ranges(jobId: string): RangeRow[] {
    return [...(this.#ranges.get(jobId)?.values() ?? [])]
  }

  /** What is remembered of an execution, by name. */
  steps(executionId: string): ReadonlyMap<string, StepRow> {
    return this.#steps.get(executionId) ?? nothing
  }

  apply(change: Change): void {
    switch (change.table) {
      case 'job':
        if (change.after !== null)
          within(this.#specs, change.after.id).set(change.after.revision, change.after.spec)
        return keep(this.jobs, change.before?.id, change.after?.id, change.after)
      case 'lock':
        return keep(this.locks, change.before?.name, change.after?.name, change.after)
      case 'queue':
        return keep(this.queues, change.before?.name, change.after?.name, change.after)
      case 'reserve':
        return keep(this.#reserves, reserveKey(change.before), reserveKey(change.after), change.after)
      case 'range': {
        const { before, after } = change
        const ranges = within(this.#ranges, (after ?? before)?.job_id ?? '')
        return keep(ranges, before?.id, after?.id, after)
      }
      case 'step': {
        const { before, after } = change
        return keep(
          within(this.#steps, (after ?? before)?.execution_id ?? ''),
          before?.name,
          after?.name,
          after,
        )
      }
      case 'execution': {
        const { before, after } = change
        keep(this.executions, before?.id, after?.id, after)
        const open = within(this.#open, (after ?? before)?.job_id ?? '')
        return keep(open, before?.id, after?.id, after === null || isFinal(after.state) ? null : after)
      }
      default:
    }
  }
}

const nothing: ReadonlyMap<string, StepRow> = new Map()

function within<K, V>(maps: Map<string, Map<K, V>>, key: string): Map<K, V> {
  const known = maps.get(key)
  if (known !== undefined) return known
  const made = new Map<K, V>()
  maps.set(key, made)
  return made
}

function reserveKey(reserve: ReserveRow | null): string | undefined {
  return reserve === null ? undefined : `${reserve.node_id} ${reserve.queue}`
}

function keep<K, V>(map: Map<K, V>, before: K | undefined, after: K | undefined, value: V | null): void {
  if (value === null) map.delete((before ?? after) as K)
  else map.set(after as K, value)
}

/** Nobody has tried it yet: an action on its job may still take it back. */
export function isUnstarted({ state, attempt }: ExecutionRow): boolean {
  return (state === 'pending' || state === 'blocked') && attempt === 0
}
