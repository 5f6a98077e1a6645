/**
 * Tells an app which schedules were added, modified or deleted, whoever did it. The engine itself needs no telling: its
 * nodes apply every change at once.
 */

import type { AppContext } from '../../app/app-context.ts'
import { contextOf } from '../../app/app-context.ts'
import { refuseUnknown } from '../../app/config/call-options.ts'
import { stderrLogger } from '../../app/log/stderr-logger.ts'
import { EvertickError } from '../../core/error.ts'
import type { Job } from '../../core/job/job.ts'
import type { EventName } from '../../engine/events.ts'
import type { Logger } from '../../engine/logger.ts'
import { Alarm, Service } from '../../engine/service.ts'
import type { Evertick } from '../../evertick.ts'
import type { OwnNode } from '../own-node.ts'
import { type ConnectOptions, connectNames, isConnect, nodeOf } from './connect.ts'
import { hashOf, isSchedule, recordOf, type ScheduleRecord, tagsOfAll } from './schedule-record.ts'
import { records, ScheduleRepository } from './schedule-repository.ts'
import { type Seconds, secondsToMs } from './seconds.ts'

export interface ScheduleWatcherOptions extends ConnectOptions {
  /** The repository to watch, in place of `database`. */
  readonly repository?: ScheduleRepository
  /** Or an app's own node. */
  readonly evertick?: Evertick
  /** How often to look, in seconds or as a duration; hints of others make it look at once. @default 60 */
  readonly checkInterval?: Seconds
  readonly onAdded?: (schedule: ScheduleRecord) => unknown
  readonly onModified?: (schedule: ScheduleRecord, before: ScheduleRecord) => unknown
  /** Is given the schedule as it was last seen. */
  readonly onDeleted?: (schedule: ScheduleRecord) => unknown
}

/** What a check found and told. */
export interface ScheduleChanges {
  readonly added: readonly ScheduleRecord[]
  readonly modified: readonly ScheduleRecord[]
  readonly deleted: readonly ScheduleRecord[]
}

interface Seen {
  readonly hash: string
  readonly job: Job
}

/** After each of these a look is worth while; the last three tell of what other processes did. */
const signs: readonly EventName[] = [
  'job:created',
  'job:updated',
  'job:paused',
  'job:resumed',
  'job:deleted',
  'schedule:added',
  'schedule:modified',
  'schedule:deleted',
]

export class ScheduleWatcher {
  readonly #node: OwnNode
  readonly #options: ScheduleWatcherOptions
  readonly #everyMs: number
  readonly #logger: Logger
  readonly #own: boolean
  #seen: ReadonlyMap<string, Seen> | null = null
  #loop: WatchLoop | null = null
  /** One check at a time: two at once would tell everything twice. */
  #checking: Promise<unknown> = Promise.resolve()

  /** Connects at its first use. */
  constructor(options: ScheduleWatcherOptions) {
    const given = watchedOf(options)
    this.#node = nodeOf(given, 'ScheduleWatcher')
    this.#own = isConnect(given)
    this.#options = options
    this.#everyMs = secondsToMs(options.checkInterval ?? 60, 'checkInterval')
    this.#logger = options.logger ?? stderrLogger
  }

  /** Takes what is there for known. Without it, the first check finds everything added. */
  async initialize(): Promise<void> {
    const app = await this.#app()
    this.#seen = seenOf(await scheduleJobs(app))
    this.#logger.info(`Watching ${this.#seen.size} schedules`)
  }

  /** Looks now, and tells. A change whose callback fails is told again by the next check. */
  async checkOnce(): Promise<ScheduleChanges> {
    const check = this.#checking.then(() => this.#check())
    this.#checking = check.catch(() => {})
    return await check
  }

  async start(): Promise<void> {
    if (this.#loop !== null) return
    if (this.#seen === null) await this.initialize()
    const evertick = await this.#node.opened()
    this.#loop ??= new WatchLoop(evertick, this.#everyMs, this.#logger, () => this.checkOnce())
    this.#loop.start()
  }

  async stop(): Promise<void> {
    const loop = this.#loop
    this.#loop = null
    await loop?.stop()
    await this.#checking
    if (this.#own) await this.#node.stop()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #app(): Promise<AppContext> {
    return await this.#node.context()
  }

  async #check(): Promise<ScheduleChanges> {
    const app = await this.#app()
    const before = this.#seen ?? new Map<string, Seen>()
    const now = seenOf(await scheduleJobs(app))
    const next = new Map(now)
    const told = { added: [], modified: [], deleted: [] } as Record<keyof ScheduleChanges, ScheduleRecord[]>
    const changed = [...now].filter(([id, { hash }]) => before.get(id)?.hash !== hash)
    const changedRecords = await records(
      app,
      changed.map(([, { job }]) => job),
    )
    for (const [index, [id]] of changed.entries()) {
      const was = before.get(id)
      const record = changedRecords[index]
      if (record === undefined) continue
      const kind = was === undefined ? 'added' : 'modified'
      const tell = () =>
        was === undefined
          ? this.#options.onAdded?.(record)
          : this.#options.onModified?.(record, recordOf(was.job, null, app.clock.now()))
      if (await this.#tell(kind, id, tell)) told[kind].push(record)
      else if (was === undefined) next.delete(id)
      else next.set(id, was)
    }
    for (const [id, was] of before) {
      if (now.has(id)) continue
      const record = recordOf(was.job, null, app.clock.now())
      if (await this.#tell('deleted', id, () => this.#options.onDeleted?.(record))) told.deleted.push(record)
      else next.set(id, was)
    }
    this.#seen = next
    return told
  }

  async #tell(kind: keyof ScheduleChanges, id: string, tell: () => unknown): Promise<boolean> {
    try {
      await tell()
      this.#logger.info(`Schedule ${id} was ${kind}`)
      return true
    } catch (error) {
      this.#logger.error(`The callback for schedule ${id} (${kind}) failed and will be called again`, {
        error,
      })
      return false
    }
  }
}

/** A repository, a node, or a database: one of them. */
function watchedOf(options: ScheduleWatcherOptions): OwnNode | Evertick | ConnectOptions {
  const {
    repository,
    evertick,
    checkInterval: _interval,
    onAdded: _added,
    onModified: _modified,
    onDeleted: _deleted,
    ...connect
  } = options
  refuseUnknown(connect, connectNames, 'ScheduleWatcher')
  const named = [repository, evertick].filter((given) => given !== undefined)
  const { logger: _logger, ...database } = connect
  if (named.length === 0) return connect
  if (named.length === 1 && Object.keys(database).length === 0) {
    return evertick ?? (repository === undefined ? connect : ScheduleRepository.nodeOf(repository))
  }
  throw new EvertickError(
    'invalid_option',
    'A ScheduleWatcher takes one of repository, evertick and database.',
    {
      field: Object.keys(database)[0] ?? 'evertick',
      next: 'Pass only one of them.',
    },
  )
}

/** Looks every so often, and at once where somebody gives a sign. */
class WatchLoop extends Service {
  readonly #evertick: Evertick
  readonly #everyMs: number
  readonly #logger: Logger
  readonly #check: () => Promise<unknown>

  constructor(evertick: Evertick, everyMs: number, logger: Logger, check: () => Promise<unknown>) {
    super()
    this.#evertick = evertick
    this.#everyMs = everyMs
    this.#logger = logger
    this.#check = check
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { store, clock } = contextOf(this.#evertick)
    const alarm = new Alarm(clock)
    const news = { heard: false }
    const onNews = () => {
      news.heard = true
      alarm.ring()
    }
    const unsubscribers = signs.map((name) => this.#evertick.on(name, onNews))
    unsubscribers.push(store.listen((topic) => topic === 'jobs' && onNews()))
    while (!signal.aborted) {
      const dueAt = clock.monotonic() + this.#everyMs
      while (!news.heard && !signal.aborted && clock.monotonic() < dueAt) {
        await alarm.wait(Math.min(dueAt - clock.monotonic(), clock.longestSleepMs), signal)
      }
      news.heard = false
      if (signal.aborted) break
      try {
        await this.#check()
      } catch (error) {
        this.#logger.warn('Could not look for changed schedules; trying again', { error })
      }
    }
    for (const unsubscribe of unsubscribers) unsubscribe()
  }
}

async function scheduleJobs({ store }: AppContext): Promise<Job[]> {
  const jobs = await store.jobs.listJobs({ tag: tagsOfAll[0] ?? '', limit: 1_000_000 })
  return jobs.filter(isSchedule)
}

function seenOf(jobs: readonly Job[]): Map<string, Seen> {
  return new Map(jobs.map((job) => [job.name, { hash: hashOf(job), job }]))
}
