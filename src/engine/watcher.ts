/**
 * Sees what others change, without a restart: writes of other processes wake this node, and changed schedules become
 * events here, whoever made them.
 */
import { EvertickError } from '../core/error.ts'
import { type HintTopic, hintTopics } from '../store/hints.ts'
import type { JobMark } from '../store/store.ts'
import type { Audience } from './audience.ts'
import type { EngineContext } from './context.ts'
import { Alarm, Service } from './service.ts'

/** At 250 ms a look: once a second. */
const patience = 4

export class Watcher extends Service {
  readonly #context: EngineContext
  readonly #everyMs: number
  readonly #hear: (topic: HintTopic) => void
  readonly #onLost: (error: EvertickError) => void
  readonly #alarm: Alarm
  readonly #audience: Audience
  readonly #known = new Map<string, number>()
  #changes = ''
  #since = 0

  constructor(
    context: EngineContext,
    everyMs: number,
    {
      audience,
      hear,
      onLost,
    }: {
      readonly audience: Audience
      readonly hear: (topic: HintTopic) => void
      /** The database was removed or replaced while this node runs. */
      readonly onLost: (error: EvertickError) => void
    },
  ) {
    super()
    this.#onLost = onLost
    this.#audience = audience
    this.#context = context
    this.#everyMs = everyMs
    this.#hear = hear
    this.#alarm = new Alarm(context.clock)
  }

  /** This process itself changed a job. */
  wake(): void {
    this.#changes = ''
    this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#context
    const unsubscribe = store.listen((topic) => {
      this.#hear(topic)
      if (topic === 'jobs') this.wake()
    })
    let known = false
    let quiet = 0
    while (!signal.aborted) {
      try {
        if (!known) await this.#look(false)
        known = true
        await this.#alarm.wait(this.#waitMs(quiet), signal, { idle: true })
        if (signal.aborted) break
        const changes = await store.changes()
        quiet = changes === this.#changes ? quiet + 1 : 0
        if (quiet > 0) continue
        this.#changes = changes
        await this.#look(true)
        for (const topic of hintTopics) this.#hear(topic)
      } catch (error) {
        if (error instanceof EvertickError && error.code === 'database_replaced') return this.#onLost(error)
        logger.warn('Could not look for changes; trying again', { error })
        await this.#alarm.wait(this.#everyMs * patience, signal)
      }
    }
    unsubscribe()
  }

  /** Where hints arrive, a look is only for what was lost; on a server without them, a quiet database is asked less often. */
  #waitMs(quiet: number): number {
    const { store } = this.#context
    if (store.hears() === 'all') return this.#everyMs * patience * 5
    return store.dialect === 'sqlite' ? this.#everyMs : this.#everyMs * Math.min(1 + quiet, patience)
  }

  async #look(tell: boolean): Promise<void> {
    const { store, events } = this.#context
    const marks = await store.jobs.jobsChangedSince(this.#since)
    if (marks.some(({ isWebhook }) => isWebhook)) await this.#audience.refresh()
    for (const mark of marks) {
      const before = this.#known.get(mark.id)
      this.#since = Math.max(this.#since, mark.updatedAt)
      if (mark.deleted) this.#known.delete(mark.id)
      else this.#known.set(mark.id, mark.revision)
      const name = tell ? eventOf(mark, before) : null
      if (name !== null) events.emit(name, { job: mark.name })
    }
  }
}

function eventOf(
  mark: JobMark,
  before: number | undefined,
): 'schedule:added' | 'schedule:modified' | 'schedule:deleted' | null {
  if (mark.deleted) return before === undefined ? null : 'schedule:deleted'
  if (before === undefined) return 'schedule:added'
  return before === mark.revision ? null : 'schedule:modified'
}
