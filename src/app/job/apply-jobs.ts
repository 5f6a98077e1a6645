/**
 * Ownership: what code defines is written at start, and only where it differs from what this code last wrote. So a
 * deploy does not undo what an operator changed, unless the definition itself has changed.
 */
import { createHash } from 'node:crypto'
import { EvertickError } from '../../core/error.ts'
import { handlerKey } from '../../core/job/handler.ts'
import type { Job } from '../../core/job/job.ts'
import type { AppContext } from '../app-context.ts'
import { changeContext } from '../change-context.ts'
import type { AnyJob } from '../config/options.ts'
import { inputSchemaOf } from './input-schema.ts'
import { jobSpec } from './job-options.ts'

export async function applyJobs(app: AppContext, jobs: readonly AnyJob[], manager: string): Promise<void> {
  for (const job of jobs) await applyJob(app, job, manager)
}

export async function applyJob(app: AppContext, job: AnyJob, manager: string): Promise<void> {
  const managedHash = hashOf(app, job)
  const existing = await app.store.jobs.findJob(job.name)
  if (existing === null) {
    if (await createFrom(app, job, manager, managedHash)) return
    // Another node of the same deploy was first.
    return await applyJob(app, job, manager)
  }
  if (existing.managedBy !== manager) throw managedElsewhere(existing, manager)
  const context = changeContext(app, { actor: manager })
  if (existing.managedHash !== managedHash) {
    const spec = specOf(app, job, existing.createdAt)
    await app.store.jobs.changeJob(existing.id, { kind: 'edit', spec, managedHash }, context)
    app.events.emit('job:updated', { job: job.name })
  }
}

/** Jobs that were disabled because nobody could run them, and that this node can. */
export async function enableJobs(app: AppContext, handlers: ReadonlyMap<string, unknown>): Promise<void> {
  const context = changeContext(app, { actor: 'evertick' })
  for (const job of await app.store.jobs.listJobs({ state: 'disabled', limit: 1_000_000 })) {
    if (handlers.has(handlerKey(job.spec.handler)))
      await app.store.jobs.changeJob(job.id, { kind: 'enable' }, context)
  }
}

async function createFrom(
  app: AppContext,
  job: AnyJob,
  manager: string,
  managedHash: string,
): Promise<boolean> {
  const now = app.clock.now()
  const spec = specOf(app, job, now)
  // Where `at` has passed, its one tick is accounted for as missed: an old one-off must not keep its node from starting.
  try {
    await app.store.jobs.createJob({
      id: app.newId(now),
      name: job.name,
      spec,
      managedBy: manager,
      managedHash,
      paused: false,
      context: changeContext(app, { actor: manager }),
    })
    app.events.emit('job:created', { job: job.name })
    return true
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'job_exists') return false
    throw error
  }
}

function specOf(app: AppContext, job: AnyJob, createdAt: number) {
  return jobSpec(job.options, {
    name: job.name,
    handler: job.name,
    inputSchema: inputSchemaOf(job.schema),
    maxPayloadBytes: app.maxPayloadBytes,
    timezone: app.timezone,
    createdAt,
  })
}

/** Of the definition as written: the anchor of an interval that names none is not part of it. */
function hashOf(app: AppContext, job: AnyJob): string {
  return createHash('sha256')
    .update(JSON.stringify(specOf(app, job, 0)))
    .digest('hex')
}

function managedElsewhere(job: Job, manager: string): EvertickError {
  return new EvertickError(
    'managed_elsewhere',
    `Job "${job.name}" is managed by ${job.managedBy}, not by ${manager}.`,
    {
      next: 'Choose another name, or delete that job first.',
    },
  )
}
