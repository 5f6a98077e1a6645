/** Comes back with every change and at least every interval; while one save is under way the next gathers. */
import type { Clock } from '../../engine/clock.ts'
import { Alarm, Service } from '../../engine/service.ts'

export class StateSaver extends Service {
  readonly #intervalMs: number
  readonly #save: () => Promise<void>
  readonly #alarm: Alarm
  #waiting: (() => void)[] = []

  /** `save` handles its own errors. */
  constructor(clock: Clock, intervalMs: number, save: () => Promise<void>) {
    super()
    this.#intervalMs = intervalMs
    this.#save = save
    this.#alarm = new Alarm(clock)
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
    })
  }

  #saving = false

  protected override async run(signal: AbortSignal): Promise<void> {
    this.#saving = true
    while (!signal.aborted) {
      await this.#alarm.wait(this.#intervalMs, signal)
      const waiting = this.#waiting
      this.#waiting = []
      if (!signal.aborted || waiting.length > 0) await this.#save()
      for (const resolve of waiting) resolve()
    }
    this.#saving = false
    for (const resolve of this.#waiting) resolve()
  }
}
