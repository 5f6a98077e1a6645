/**
 * Ownership: what code defines is written at start, and only where it differs from what this code last wrote. So a
 * deploy does not undo what an operator changed, unless the definition itself has changed.
 */
import { EvertickError } from '../../core/error.ts'
import { handlerKey } from '../../core/job/handler.ts'
import type { AppContext } from '../app-context.ts'
import { changeContext } from '../change-context.ts'
import type { AnyJob } from '../config/options.ts'
import { inputSchemaOf } from './input-schema.ts'
import { jobSpec } from './job-options.ts'
import { hashOfText, type ManagedJob, managedElsewhere } from './managed/managed-job.ts'
import { ManagedWriter } from './managed/managed-writer.ts'

export async function applyJobs(app: AppContext, jobs: readonly AnyJob[], manager: string): Promise<void> {
  for (const job of jobs) await applyJob(app, job, manager)
}

export async function applyJob(app: AppContext, job: AnyJob, manager: string): Promise<void> {
  const writer = new ManagedWriter(app, { name: manager, pausedBecause: manager, by: { actor: manager } })
  const wanted = managedJob(app, job)
  const existing = await app.store.jobs.findJob(job.name)
  if (existing === null) {
    if (await isCreated(writer, wanted)) return
    // Another node of the same deploy was first.
    return await applyJob(app, job, manager)
  }
  if (existing.managedBy !== manager) throw managedElsewhere(existing, manager)
  if (existing.managedHash !== wanted.hash) await writer.modify(existing, wanted)
}

/** Jobs that were disabled because nobody could run them, and that this node can. */
export async function enableJobs(app: AppContext, handlers: ReadonlyMap<string, unknown>): Promise<void> {
  const context = changeContext(app, { actor: 'evertick' })
  for (const job of await app.store.jobs.listJobs({ state: 'disabled', limit: 1_000_000 })) {
    if (handlers.has(handlerKey(job.spec.handler)))
      await app.store.jobs.changeJob(job.id, { kind: 'enable' }, context)
  }
}

async function isCreated(writer: ManagedWriter, wanted: ManagedJob): Promise<boolean> {
  try {
    await writer.create(wanted)
    return true
  } catch (error) {
    if (error instanceof EvertickError && error.code === 'job_exists') return false
    throw error
  }
}

function managedJob(app: AppContext, job: AnyJob): ManagedJob {
  const spec: ManagedJob['spec'] = ({ createdAt }) =>
    jobSpec(job.options, {
      name: job.name,
      handler: job.name,
      inputSchema: inputSchemaOf(job.schema),
      maxPayloadBytes: app.maxPayloadBytes,
      timezone: app.timezone,
      createdAt,
    })
  // Of the definition as written: the anchor of an interval that names none is not part of it.
  const hash = hashOfText(JSON.stringify(spec({ createdAt: 0, spec: null })))
  return { name: job.name, hash, paused: false, spec }
}
