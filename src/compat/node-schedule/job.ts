/** `Job`, with node-schedule's methods and events. The engine keeps its schedule; this only passes requests on. */
import { EventEmitter } from 'node:events'
import { newId } from '../../app/ids.ts'
import { type DefinedJob, defineJob, refuseName } from '../../app/job/define-job.ts'
import type { Job as EngineJob } from '../../core/job/job.ts'
import type { CatchUpOptions } from '../../core/job/options.ts'
import type { CatchUpPolicy } from '../../core/job/policies.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import { type JobSpec, nextOf, type ReadSpec, readSpec } from './job-spec.ts'
import { keeper } from './keeper.ts'
import { hostZone } from './recurrence-rule.ts'

export type JobCallback = (fireDate: Date) => unknown

export interface JobOptions {
  /** What becomes of invocations missed while no process ran; of a job with a name only. @default that of `configure` */
  readonly catchUp?: CatchUpPolicy | CatchUpOptions
}

/** What `pendingInvocations` holds. */
export interface Invocation {
  readonly job: Job
  readonly fireDate: Date
}

/** The jobs that are scheduled, by name. */
export const scheduledJobs: Record<string, Job> = {}

/** A process that dies in a run repeats it; a function that throws is not called again. */
const attempts = 10
let unnamed = 0

export class Job extends EventEmitter {
  readonly name: string
  /** How many invocations are under way in this process. */
  running = 0
  readonly #work: JobCallback
  readonly #before: (() => unknown) | null
  readonly #options: JobOptions
  readonly #named: boolean
  readonly #engineName: string
  #read: ReadSpec | null = null
  #triggered = 0
  /** Invocations up to here were cancelled. */
  #after = 0

  constructor(
    name: string | null | JobCallback,
    work?: JobCallback,
    before?: () => unknown,
    options: JobOptions = {},
  ) {
    super()
    const own = typeof name === 'function' ? name : work
    if (own === undefined) throw new RangeError('The job method must be a function.')
    this.#named = typeof name === 'string' && name !== ''
    if (this.#named) refuseName(name)
    const now = keeper.clock.now()
    unnamed += this.#named ? 0 : 1
    this.name = this.#named ? String(name) : `<Anonymous Job ${unnamed} ${new Date(now).toISOString()}>`
    this.#engineName = this.#named ? this.name : `unnamed-${newId(now)}`
    this.#work = own
    this.#before =
      typeof name === 'function' ? ((work as (() => unknown) | undefined) ?? null) : (before ?? null)
    this.#options = options
  }

  /** False for a schedule that cannot be read or has no invocation left. */
  schedule(spec: JobSpec): boolean {
    const now = keeper.clock.now()
    const read = readSpec(spec, hostZone(), now)
    // A date may be this very instant; a rule begins after it.
    const from = read?.kind === 'at' ? now - 1 : now
    const coming = read !== null && (nextOf(read, this.name, from) !== null || this.#mayBeMissed(read))
    if (!coming || read === null) {
      if (read?.kind !== 'at') scheduledJobs[this.name] = this
      return false
    }
    this.#read = read
    this.#after = from
    scheduledJobs[this.name] = this
    void keeper.keep(this.#kept, (kept) => this.#definition(kept, now))
    this.#tellNext()
    return true
  }

  runOnDate(date: Date): boolean {
    return this.schedule(date)
  }

  reschedule(spec: JobSpec): boolean {
    const before = this.#read
    const next = this.nextInvocation()
    this.#read = null
    if (next !== null) this.emit('canceled', next)
    if (!this.schedule(spec)) {
      this.#read = before
      return false
    }
    this.#triggered = 0
    return true
  }

  /** Ends the job; with `true` only its next invocation. */
  cancel(reschedule = false): boolean {
    if (reschedule) {
      this.cancelNext()
      return true
    }
    this.leave()
    void keeper.drop(this.#kept)
    return true
  }

  /** Leaves out the next invocation; with `false` all that follow, too. */
  cancelNext(reschedule = true): boolean {
    const next = this.nextInvocation()
    if (next === null) return false
    this.emit('canceled', next)
    if (!reschedule || this.#read?.kind === 'at') {
      this.#read = null
      void keeper.drop(this.#kept)
      return true
    }
    this.#after = next.getTime()
    const startAt = new Date(this.#after + 1)
    void keeper.change(this.#kept, (evertick) =>
      evertick.jobs.update(this.#engineName, { startAt }, { actor: 'code' }),
    )
    this.#tellNext()
    return true
  }

  nextInvocation(): Date | null {
    if (this.#read === null) return null
    const next = nextOf(this.#read, this.name, Math.max(this.#after, keeper.clock.now() - 1))
    return next === null ? null : new Date(next)
  }

  get pendingInvocations(): Invocation[] {
    const fireDate = this.nextInvocation()
    return fireDate === null ? [] : [{ job: this, fireDate }]
  }

  /** Calls the function now, here; the schedule goes on. */
  invoke(fireDate: Date = new Date(keeper.clock.now())): unknown {
    this.#triggered += 1
    return this.#work(fireDate)
  }

  triggeredJobs(): number {
    return this.#triggered
  }

  setTriggeredJobs(count: number): void {
    this.#triggered = count
  }

  /** @internal No longer scheduled in this process. */
  leave(): void {
    const next = this.nextInvocation()
    this.#read = null
    if (scheduledJobs[this.name] === this) delete scheduledJobs[this.name]
    if (next !== null) this.emit('canceled', next)
  }

  get #kept() {
    return { engineName: this.#engineName, named: this.#named }
  }

  /** A named job whose date has passed may be one that was missed: only the database knows. */
  #mayBeMissed(read: ReadSpec): boolean {
    return read.kind === 'at' && this.#named && (this.#options.catchUp ?? keeper.catchUp) !== 'none'
  }

  #tellNext(): void {
    const next = this.nextInvocation()
    if (next !== null) this.emit('scheduled', next)
  }

  #definition(kept: EngineJob | null, now: number): DefinedJob | null {
    const read = this.#read
    if (read === null) return null
    if (read.kind === 'at' && read.at < now && kept === null) {
      this.leave()
      return null
    }
    // The zone of the first scheduling holds, wherever the host has moved since.
    const stored = kept?.spec.schedule?.kind === 'cron' ? kept.spec.schedule.timezone : null
    if (read.kind === 'cron' && !read.ownZone && stored !== null) this.#read = { ...read, timezone: stored }
    return defineJob({
      name: this.#engineName,
      ...scheduleOf(this.#read ?? read),
      catchUp: this.#named ? (this.#options.catchUp ?? keeper.catchUp) : 'latest',
      overlap: 'allow',
      retry: { attempts },
      tags: ['node-schedule'],
      run: (context) => this.#run(context),
    })
  }

  async #run(context: JobContext): Promise<unknown> {
    const { scheduledFor } = context
    const oneTime = this.#read?.kind === 'at'
    this.#after = Math.max(this.#after, scheduledFor.getTime())
    this.#before?.()
    if (oneTime) this.#finish()
    else this.#tellNext()
    let counted = false
    try {
      const result = this.invoke(scheduledFor)
      this.emit('run')
      this.running += 1
      counted = true
      const value = await result
      this.emit('success', value)
      return value
    } catch (thrown) {
      this.#fail(thrown)
      const error = errorFrom(thrown)
      throw new OutcomeSignal(error.message, { kind: 'fail', error, told: true })
    } finally {
      if (counted) this.running -= 1
      if (oneTime) void keeper.done(this.#kept)
    }
  }

  #finish(): void {
    this.#read = null
    if (scheduledJobs[this.name] === this) delete scheduledJobs[this.name]
  }

  /** node-schedule ends the process where nobody listens; here it is logged. */
  #fail(thrown: unknown): void {
    if (this.listenerCount('error') > 0) this.emit('error', thrown)
    else keeper.logger.error(`${this.name} failed`, { error: thrown })
  }
}

function scheduleOf(read: ReadSpec) {
  if (read.kind === 'at') return { schedule: { at: new Date(read.at) } }
  const { cron, timezone, startAt, endAt } = read
  return {
    schedule: { cron, timezone },
    ...(startAt === null ? {} : { startAt: new Date(startAt) }),
    ...(endAt === null ? {} : { endAt: new Date(endAt) }),
  }
}
