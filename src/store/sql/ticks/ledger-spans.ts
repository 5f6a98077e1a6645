/** Under which revision, and under which time zone data, the ticks of a job were computed. */
import type { Job, JobSpec } from '../../../core/job/job.ts'
import { nominalSequence } from '../../../core/job/sequence.ts'
import type { RevisionSpan } from '../../../core/tick/ledger.ts'
import type { Revision } from '../../store.ts'
import { listRevisions } from '../jobs/find-jobs.ts'
import { number, text } from '../runtime/rows.ts'
import { insertRow, type Row, rows, run, type Script, type ScriptContext } from '../runtime/script.ts'

export interface LedgerSpan {
  readonly from: number
  readonly revision: number
  readonly tzVersion: string
}

/** From when on other time zone data was used. */
export interface ZoneSpan {
  readonly from: number
  readonly tzVersion: string
}

export function zoneSpanFrom(written: Row): ZoneSpan {
  return { from: number(written.from_at), tzVersion: text(written.tz_version) }
}

export function* listZoneSpans(jobId: string): Script<ZoneSpan[]> {
  const spans = yield* rows('SELECT * FROM @zone_spans WHERE job_id = ? ORDER BY from_at', jobId)
  return spans.map(zoneSpanFrom)
}

/** The spans of a job's ledger, in order, for ticks from `since` on. */
export function* ledgerSpans(job: Job, since: number): Script<LedgerSpan[]> {
  const zones = yield* listZoneSpans(job.id)
  const current = { from: job.revisionFrom, revision: job.revision, tzVersion: job.tzVersion }
  if (since >= job.revisionFrom && zones.every(({ from }) => from <= since)) return [current]
  return (yield* listRevisions(job.id)).flatMap((revision, index, all) =>
    withZones(revision, all[index + 1]?.from ?? Number.MAX_SAFE_INTEGER, zones).map(
      ({ from, tzVersion }) => ({
        from,
        revision: revision.revision,
        tzVersion,
      }),
    ),
  )
}

/** A revision, cut where the time zone data changed. */
function withZones({ from, tzVersion }: Revision, until: number, zones: readonly ZoneSpan[]): ZoneSpan[] {
  const within = zones.filter((zone) => zone.from >= from && zone.from < until)
  return within[0]?.from === from ? within : [{ from, tzVersion }, ...within]
}

/** Each revision's ticks hold from its own start to the next revision's. */
export function spansOf(
  name: string,
  revisions: readonly Revision[],
  zones: readonly ZoneSpan[],
  current: string,
): RevisionSpan[] {
  return revisions.flatMap((revision, index) => {
    const until = revisions[index + 1]?.from ?? Number.MAX_SAFE_INTEGER
    const sequence = evaluated(name, revision.spec)
    return withZones(revision, until, zones).map(({ from, tzVersion }, at, all) => ({
      from,
      until: all[at + 1]?.from ?? until,
      ...sequence,
      verifiable: sequence.evaluates && (tzVersion === current || !dependsOnZoneData(revision.spec)),
    }))
  })
}

function evaluated(name: string, spec: JobSpec): Pick<RevisionSpan, 'sequence'> & { evaluates: boolean } {
  try {
    return { sequence: nominalSequence(name, spec), evaluates: true }
  } catch {
    return { sequence: null, evaluates: false }
  }
}

/** Only wall-clock schedules do. */
function dependsOnZoneData({ schedule }: JobSpec): boolean {
  return schedule?.kind === 'cron' && schedule.timezone !== 'UTC'
}

/** A span that began under a wrong clock begins where the cursor is brought back to. */
export function* resetZoneSpans(job: Job, cursor: number): Script<void> {
  const gone = yield* run('DELETE FROM @zone_spans WHERE job_id = ? AND from_at >= ?', job.id, cursor)
  if (gone === 0) return
  yield* insertRow('zone_spans', { job_id: job.id, from_at: cursor, tz_version: job.tzVersion })
}

/** The first account under other time zone data begins a new span: what came before cannot be proved by it. */
export function* underZoneData(job: Job, context: ScriptContext): Script<Job> {
  if (isUnderZoneData(job, context)) return job
  const { tzVersion } = context
  yield* run('DELETE FROM @zone_spans WHERE job_id = ? AND from_at >= ?', job.id, job.accountedUntil)
  yield* insertRow('zone_spans', { job_id: job.id, from_at: job.accountedUntil, tz_version: tzVersion })
  yield* run('UPDATE @jobs SET tz_version = ? WHERE id = ?', tzVersion, job.id)
  return { ...job, tzVersion }
}

/** Nothing to write: the job's ticks are computed as they were. */
export function isUnderZoneData(job: Job, { tzVersion }: ScriptContext): boolean {
  return job.tzVersion === tzVersion || !dependsOnZoneData(job.spec)
}
