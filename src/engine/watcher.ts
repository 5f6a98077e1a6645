/**
 * Sees what others change, without a restart: writes of other processes wake this node, and changed schedules become
 * events here, whoever made them.
 */
import type { JobMark } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import { Alarm, Service } from './service.ts'

export class Watcher extends Service {
  readonly #context: EngineContext
  readonly #everyMs: number
  readonly #onChange: () => void
  readonly #alarm: Alarm
  readonly #known = new Map<string, number>()
  #changes = ''
  #since = 0

  constructor(context: EngineContext, everyMs: number, onChange: () => void) {
    super()
    this.#context = context
    this.#everyMs = everyMs
    this.#onChange = onChange
    this.#alarm = new Alarm(context.clock)
  }

  /** This process itself changed a job. */
  wake(): void {
    this.#changes = ''
    this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { store, logger } = this.#context
    let known = false
    while (!signal.aborted) {
      try {
        if (!known) await this.#look(false)
        known = true
        await this.#alarm.wait(this.#everyMs, signal)
        if (signal.aborted) break
        const changes = await store.changes()
        if (changes === this.#changes) continue
        this.#changes = changes
        await this.#look(true)
        this.#onChange()
      } catch (error) {
        logger.warn('Could not look for changes; trying again', { error })
        await this.#alarm.wait(this.#everyMs, signal)
      }
    }
  }

  async #look(tell: boolean): Promise<void> {
    const { store, events } = this.#context
    const marks = await store.jobsChangedSince(this.#since)
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
