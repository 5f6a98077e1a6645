/**
 * Saves after every change and at least every interval. Changes during a save go into the next one. Changes that nobody
 * waits for may gather longer: a save writes everything, so one save for each of many changes would take quadratic time.
 */
import type { Clock } from '../../engine/clock.ts'
import { Alarm, Service } from '../../engine/service.ts'

export class StateSaver extends Service {
  readonly #intervalMs: number
  readonly #save: () => Promise<void>
  readonly #alarm: Alarm
  readonly #gatherMs: () => number
  /** Somebody waits: what has gathered is saved now. */
  readonly #urgent: Alarm
  #waiting: (() => void)[] = []

  /** `save` handles its own errors. */
  constructor(clock: Clock, intervalMs: number, save: () => Promise<void>, gatherMs: () => number = () => 0) {
    super()
    this.#intervalMs = intervalMs
    this.#save = save
    this.#alarm = new Alarm(clock)
    this.#gatherMs = gatherMs
    this.#urgent = new Alarm(clock)
  }

  changed(): void {
    this.#alarm.ring()
  }

  /** Resolves when a save that began after this call has ended, well or not; at once where nobody saves any more. */
  async saved(): Promise<void> {
    if (!this.#saving) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
      this.#alarm.ring()
      this.#urgent.ring()
    })
  }

  #saving = false

  protected override async run(signal: AbortSignal): Promise<void> {
    this.#saving = true
    while (!signal.aborted) {
      await this.#alarm.wait(this.#intervalMs, signal)
      const gatherMs = this.#gatherMs()
      if (gatherMs > 0) await this.#urgent.wait(gatherMs, signal)
      const waiting = this.#waiting
      this.#waiting = []
      if (!signal.aborted || waiting.length > 0) await this.#save()
      for (const resolve of waiting) resolve()
    }
    this.#saving = false
    for (const resolve of this.#waiting) resolve()
  }
}
