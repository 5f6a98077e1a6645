/**
 * Writes the jobs of one manager. Each is a transaction of its own, and the hash goes last: whatever is cut off before it
 * is done again by the next run. Operators win: a manager resumes only what it paused itself.
 */
import { EvertickError } from '../../../core/error.ts'
import type { Job } from '../../../core/job/job.ts'
import type { JobChange } from '../../../store/store.ts'
import type { AppContext } from '../../app-context.ts'
import { type ActorOptions, changeContext } from '../../change-context.ts'
import { type ManagedJob, managedElsewhere } from './managed-job.ts'

export interface Manager {
  /** `code`, `file:…`, `source:…`; `api` for jobs that nobody manages. */
  readonly name: string
  /** Of what it pauses. */
  readonly pausedBecause: string
  /** Overrides are told by who wrote a revision, so that a manager writes under its own name. */
  readonly by: ActorOptions
}

export class ManagedWriter {
  readonly #app: AppContext
  readonly #manager: Manager

  constructor(app: AppContext, manager: Manager) {
    this.#app = app
    this.#manager = manager
  }

  /** Throws `job_exists` where one of this name has come meanwhile. */
  async create({ name, spec, hash, paused }: ManagedJob): Promise<void> {
    const { store, newId, events } = this.#app
    const context = changeContext(this.#app, this.#manager.by)
    const { now } = context
    // Where `at` has passed, its one tick is accounted for as missed: an old one-off must not be in anybody's way.
    const made = spec({ createdAt: now, spec: null })
    await store.jobs.createJob({
      id: newId(now),
      name,
      spec: made,
      managedBy: this.#manager.name,
      managedHash: paused ? null : hash,
      paused,
      context,
    })
    events.emit('job:created', { job: name })
    if (!paused || hash === null) return
    await this.#change(name, { kind: 'pause', reason: this.#manager.pausedBecause })
    await this.#change(name, { kind: 'edit', spec: made, managedHash: hash })
  }

  /** `job` as the plan has seen it: whoever has taken it over meanwhile keeps it. */
  async modify(job: Job, { spec, hash, paused }: ManagedJob): Promise<void> {
    const { name: manager, pausedBecause } = this.#manager
    if (!paused && isPausedBy(job, manager)) await this.#change(job.id, { kind: 'resume', catchUp: 'skip' })
    if (paused && job.state !== 'paused') await this.#change(job.id, { kind: 'pause', reason: pausedBecause })
    await this.#change(job.id, {
      kind: 'edit',
      spec: (held) => {
        if (held.managedBy !== job.managedBy) throw managedElsewhere(held, manager)
        return spec(held)
      },
      managedBy: manager,
      ...(hash === null ? {} : { managedHash: hash }),
    })
    this.#app.events.emit('job:updated', { job: job.name })
  }

  /** Its manager no longer names it: it is paused, never deleted. `mark` takes the place of its hash. */
  async retire(job: Job, reason: string, mark: string): Promise<void> {
    if (job.state === 'active' || job.state === 'disabled' || job.state === 'error') {
      await this.#change(job.id, { kind: 'pause', reason })
      this.#app.events.emit('job:paused', { job: job.name, reason })
    }
    await this.#change(job.id, { kind: 'edit', spec: (held) => held.spec, managedHash: mark })
  }

  async delete(job: Job): Promise<void> {
    await this.#change(job.id, { kind: 'delete' })
    this.#app.events.emit('job:deleted', { job: job.name })
  }

  async #change(job: string, change: JobChange): Promise<void> {
    await this.#app.store.jobs.changeJob(job, change, changeContext(this.#app, this.#manager.by))
  }
}

export function isPausedBy({ state, pause }: Job, manager: string): boolean {
  return state === 'paused' && pause?.by === manager
}

/** So many jobs are written before the lock is held for another while. */
const perLock = 200

/** Writes one after the other. Of those that were refused, it says why. */
export async function writeEach<Item>(
  items: readonly Item[],
  keep: () => Promise<void>,
  write: (item: Item) => Promise<void>,
): Promise<Map<Item, string>> {
  const refused = new Map<Item, string>()
  for (const [index, item] of items.entries()) {
    if (index % perLock === perLock - 1) await keep()
    try {
      await write(item)
    } catch (error) {
      // What the database refuses of one job is that job's trouble; a database that is away is everybody's.
      if (!(error instanceof EvertickError) || error.kind === 'unavailable') throw error
      refused.set(item, error.message)
    }
  }
  return refused
}
