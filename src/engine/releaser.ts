/** Comes back for chains whose head only waits for its time. A node that dies forgets them; the rescuer finds them then. */
import type { ReleaseAt } from '../store/store.ts'
import type { EngineContext } from './context.ts'
import { Alarm, Service } from './service.ts'

export class Releaser extends Service {
  readonly #context: EngineContext
  readonly #alarm: Alarm
  readonly #onReleased: () => void
  readonly #at = new Map<string, number>()

  constructor(context: EngineContext, onReleased: () => void) {
    super()
    this.#context = context
    this.#alarm = new Alarm(context.clock)
    this.#onReleased = onReleased
  }

  add(releases: readonly ReleaseAt[]): void {
    for (const { jobId, at } of releases) this.#at.set(jobId, at)
    if (releases.length > 0) this.#alarm.ring()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const now = this.#context.clock.now()
      const due = [...this.#at].filter(([, at]) => at <= now).map(([jobId]) => jobId)
      for (const jobId of due) this.#at.delete(jobId)
      if (due.length > 0) await this.#release(due, now)
      const next = Math.min(now + this.#context.clock.longestSleepMs, ...this.#at.values())
      await this.#alarm.wait(next - this.#context.clock.now(), signal)
    }
  }

  async #release(jobIds: readonly string[], now: number): Promise<void> {
    try {
      const { releases } = await this.#context.store.work.releaseBlocked(jobIds, now)
      for (const { jobId, at } of releases) this.#at.set(jobId, at)
      this.#onReleased()
    } catch (error) {
      this.#context.logger.warn('Could not release blocked executions; the rescuer will', { error })
    }
  }
}
