/**
 * Enqueues what an idle worker of the same process can begin at once: it is written as claimed, by one commit instead of
 * two. Where anything speaks against that nothing is written here, and it is enqueued like everything else.
 */
import type { ClaimedExecution, NewExecution, SlotOffer } from '../../store.ts'
import { enqueueColumns, startByRow } from '../jobs/job-columns.ts'
import { number } from '../runtime/rows.ts'
import { look, type Row, runAlone, type Script } from '../runtime/script.ts'
import { claimedFrom, claimedJobFrom } from './claimed.ts'
import { enqueuedRow } from './enqueue.ts'

const jobText = `SELECT ${enqueueColumns}, version, spec FROM @jobs WHERE name = ? AND deleted_at IS NULL`

/**
 * The job's row is held, so that a cancel either sees this execution or is seen by it; a row that somebody else holds is
 * not waited for. Its version says that everything known of it still holds.
 */
const insertText = `
  INSERT INTO @live_executions (id, job_id, cause, scheduled_for, state, ready_at, queue, priority, handler, max_attempts,
    input, metadata, created_at, attempt, fence, leased_by, leased_until, started_at)
  SELECT ?::uuid, j.id, 'enqueue', ?::bigint, 'running', ?::bigint, ?, ?::bigint, ?, ?::bigint,
    ?, ?, ?::bigint, 1, 1, ?, ?::bigint, ?::bigint
  FROM @jobs j
  WHERE j.id = ? AND j.version = ? AND j.state <> 'cancelled' AND j.deleted_at IS NULL
    AND (SELECT count(*) FROM @queues q WHERE q.name = ? AND q.paused_at IS NOT NULL) = 0
    AND (SELECT count(*) FROM @node_handlers h WHERE h.handler = ? AND h.node_id = ?) = 1
  FOR SHARE SKIP LOCKED`

interface Known {
  readonly job: Row
  readonly until: number
}

/** A job that an edit has made fit for this is seen after so long. */
const knownMs = 60_000
/** Beyond this many jobs it starts over: a job not kept only costs one more look. */
const maxKnown = 20_000

export class SlotEnqueuer {
  /** By name. It may be old: the version in the insert decides. */
  readonly #known = new Map<string, Known>()

  /** False where it is known, without a look, that it must be claimed. */
  mayTake(draft: NewExecution, offer: SlotOffer): boolean {
    const known = this.#known.get(draft.jobName)
    return known === undefined || known.until <= offer.now || mayBegin(draft, known.job, offer)
  }

  *enqueueIntoSlot(draft: NewExecution, offer: SlotOffer): Script<ClaimedExecution | null> {
    const { nodeId, now, leaseMs } = offer
    const job = yield* this.#jobOf(draft, now)
    if (job === null || !mayBegin(draft, job, offer)) return null
    const row = enqueuedRow(draft, job)
    const leasedUntil = now + leaseMs
    const made = yield* runAlone(
      insertText,
      row.id,
      row.scheduled_for,
      row.ready_at,
      row.queue,
      row.priority,
      row.handler,
      row.max_attempts,
      row.input,
      row.metadata,
      row.created_at,
      nodeId,
      leasedUntil,
      now,
      row.job_id,
      number(job.version),
      row.queue,
      row.handler,
      nodeId,
    )
    if (made === 0) {
      this.#known.delete(draft.jobName)
      return null
    }
    const before = { ...row, attempt: 0, fence: 0 }
    return claimedFrom(before, claimedJobFrom(job), { started: true, place: null, leasedUntil })
  }

  *#jobOf({ jobName }: NewExecution, now: number): Script<Row | null> {
    const known = this.#known.get(jobName)
    if (known !== undefined && known.until > now) return known.job
    const [job] = yield* look(jobText, jobName)
    if (job === undefined) return null
    if (this.#known.size >= maxKnown) this.#known.clear()
    this.#known.set(jobName, { job, until: now + knownMs })
    return job
  }
}

/**
 * What may never run twice or has a deadline is claimed; so is work of a job with a schedule, whose next tick bounds the
 * back-off and is not part of what a version stands for.
 */
function mayBegin(draft: NewExecution, job: Row, { queue, now }: SlotOffer): boolean {
  const { schedule, onCrash } = claimedJobFrom(job).spec
  const isPlain = schedule === null && onCrash === 'retry' && startByRow(draft.readyAt, job) === null
  return isPlain && draft.readyAt <= now && (draft.queue ?? job.queue) === queue
}
