/** Limits as people and jobs set them. A change of numbers holds for the next claim, and levels the keys that it is about. */
import { type LimitNumbers, limitId, noNumbers } from '../../../core/execution/limit.ts'
import type { Job, JobSpec } from '../../../core/job/job.ts'
import type { ChangeContext, CodeLimit, LimitRow } from '../../store.ts'
import { writeAuditLog } from '../audit/audit-log.ts'
import { number, optionalNumber, optionalText, specFrom, text } from '../runtime/rows.ts'
import { insertRow, type Row, row, rows, run, type Script, setText } from '../runtime/script.ts'
import { holdKeys } from './hold-keys.ts'
import { levelKeys } from './level-keys.ts'

const heldText = 'SELECT * FROM @limits WHERE id = ? FOR UPDATE'

export function* setLimit(name: string, numbers: LimitNumbers, by: ChangeContext): Script<LimitRow> {
  const held = yield* row(heldText, name)
  yield* writeLimit(
    held,
    { id: name, name, job_id: null },
    { numbers, codeHash: optionalText(held?.code_hash) },
    by,
  )
  yield* note('limit.set', name, held, numbers, by)
  yield* levelKeysOf([name], by.now)
  const [set] = yield* usageOf([name])
  return { ...numbers, ...nobody, ...set, name, changedAt: by.now, changedBy: by.actor }
}

export function* deleteLimit(name: string, by: ChangeContext): Script<boolean> {
  const held = yield* row(heldText, name)
  if (held === null) return false
  yield* run('DELETE FROM @limits WHERE id = ?', name)
  yield* note('limit.delete', name, held, null, by)
  yield* levelKeysOf([name], by.now)
  return true
}

/** Who was set by hand since stays so until the code says something else. */
export function* writeCodeLimits(limits: readonly CodeLimit[], by: ChangeContext): Script<string[]> {
  const written: string[] = []
  for (const { name, hash, ...numbers } of limits) {
    const held = yield* row(heldText, name)
    if (optionalText(held?.code_hash) === hash) continue
    yield* writeLimit(held, { id: name, name, job_id: null }, { numbers, codeHash: hash }, by)
    yield* note('limit.set', name, held, numbers, by)
    written.push(name)
  }
  yield* levelKeysOf(written, by.now)
  return written
}

/** A job's own limits stand beside its row, since ends and claims ask for their numbers, and not for a spec. */
export function* writeLimitsOf(
  { id, spec }: Pick<Job, 'id' | 'spec'>,
  before: Pick<JobSpec, 'limits'> | null,
  by: ChangeContext,
): Script<void> {
  if (
    before === null ? spec.limits.length === 0 : JSON.stringify(before.limits) === JSON.stringify(spec.limits)
  )
    return
  const was = before === null ? [] : yield* rows('SELECT * FROM @limits WHERE job_id = ? FOR UPDATE', id)
  const held = new Map(was.map((limit) => [text(limit.id), limit]))
  const own = spec.limits.flatMap((limit) => (typeof limit === 'string' ? [] : [limit]))
  const named = new Set(own.map((limit) => limitId(id, limit)))
  for (const limit of own) {
    const ofLimit = limitId(id, limit)
    const { concurrency, rate } = limit
    const columns = { id: ofLimit, name: null, job_id: id }
    yield* writeLimit(
      held.get(ofLimit) ?? null,
      columns,
      { numbers: { concurrency, rate }, codeHash: null },
      by,
    )
  }
  const gone = [...held.keys()].filter((ofLimit) => !named.has(ofLimit))
  if (gone.length > 0) yield* run('DELETE FROM @limits WHERE id IN ?*', gone)
  if (was.length > 0) yield* levelKeysOf([...held.keys()], by.now)
}

function* writeLimit(
  held: Row | null,
  which: { readonly id: string; readonly name: string | null; readonly job_id: string | null },
  { numbers, codeHash }: { readonly numbers: LimitNumbers; readonly codeHash: string | null },
  { now, actor }: ChangeContext,
): Script<void> {
  const values = {
    concurrency: numbers.concurrency,
    rate_count: numbers.rate?.count ?? null,
    rate_per_ms: numbers.rate?.perMs ?? null,
    code_hash: codeHash,
    changed_at: now,
    changed_by: actor,
  }
  if (held === null) yield* insertRow('limits', { ...which, ...values })
  else yield* run(`UPDATE @limits SET ${setText(values)} WHERE id = ?`, ...Object.values(values), which.id)
}

/** More keys than these are levelled by the rescuer, soon. */
const mostLevelled = 500

function* levelKeysOf(limitIds: readonly string[], now: number): Script<void> {
  if (limitIds.length === 0) return
  const found = yield* rows(
    'SELECT limit_key FROM @limit_keys WHERE limit_id IN ?* ORDER BY limit_key LIMIT ?',
    limitIds,
    mostLevelled,
  )
  yield* levelKeys(
    yield* holdKeys(
      found.map(({ limit_key }) => text(limit_key)),
      now,
    ),
    now,
  )
}

export function numbersFrom({ concurrency, rate_count, rate_per_ms }: Row): LimitNumbers {
  const count = optionalNumber(rate_count)
  return {
    concurrency: optionalNumber(concurrency),
    rate: count === null ? null : { count, perMs: number(rate_per_ms) },
  }
}

const nobody = { running: 0, waiting: 0, jobs: [] } as const

export function* listLimits(): Script<LimitRow[]> {
  const set = yield* rows('SELECT * FROM @limits WHERE name IS NOT NULL ORDER BY name')
  const jobsOf = new Map<string, string[]>()
  const limited =
    'SELECT name, spec FROM @jobs WHERE limited IS NOT NULL AND deleted_at IS NULL ORDER BY name'
  for (const job of yield* rows(limited)) {
    for (const limit of specFrom(job.spec).limits) {
      if (typeof limit === 'string') jobsOf.set(limit, [...(jobsOf.get(limit) ?? []), text(job.name)])
    }
  }
  const rowOf = new Map(set.map((limit) => [text(limit.name), limit]))
  const names = [...new Set([...rowOf.keys(), ...jobsOf.keys()])].sort()
  const usages = new Map((yield* usageOf(names)).map((usage) => [usage.name, usage]))
  return names.map((name) => {
    const limit = rowOf.get(name)
    return {
      ...nobody,
      ...(limit === undefined ? noNumbers : numbersFrom(limit)),
      ...usages.get(name),
      name,
      changedAt: optionalNumber(limit?.changed_at),
      changedBy: optionalText(limit?.changed_by),
      jobs: jobsOf.get(name) ?? [],
    }
  })
}

function* usageOf(names: readonly string[]): Script<{ name: string; running: number; waiting: number }[]> {
  const counted = yield* rows(
    `SELECT k.limit_id, (SELECT count(*) FROM @limit_leases s WHERE s.limit_key = k.limit_key) AS running,
       (SELECT count(*) FROM @live_executions e WHERE e.wait_key = k.limit_key AND e.waits_for = 'limit') AS waiting
     FROM @limit_keys k WHERE k.limit_id IN ?*`,
    names,
  )
  return counted.map(({ limit_id, running, waiting }) => ({
    name: text(limit_id),
    running: number(running),
    waiting: number(waiting),
  }))
}

function* note(
  action: string,
  subject: string,
  before: Row | null,
  after: LimitNumbers | null,
  { now, actor, origin }: ChangeContext,
): Script<void> {
  const was = before === null ? null : numbersFrom(before)
  yield* writeAuditLog({ at: now, actor, origin, action, subject, before: was, after })
}
