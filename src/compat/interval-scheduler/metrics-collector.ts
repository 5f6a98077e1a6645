/** Keeps a snapshot of the cluster's figures, taken anew at an interval: whoever asks often costs the database nothing. */
import type { AppContext } from '../../app/app-context.ts'
import { type Metrics, metricsOf } from '../../app/reports/metrics.ts'
import type { Logger } from '../../engine/logger.ts'
import { Alarm, Service } from '../../engine/service.ts'

export class MetricsCollector extends Service {
  readonly #app: AppContext
  readonly #everyMs: number
  readonly #logger: Logger
  readonly #alarm: Alarm
  #last: Metrics | null = null

  constructor(app: AppContext, everyMs: number, logger: Logger) {
    super()
    this.#app = app
    this.#everyMs = everyMs
    this.#logger = logger
    this.#alarm = new Alarm(app.clock)
  }

  /** The newest snapshot; where there is none yet, one is taken. */
  async metrics(): Promise<Metrics> {
    return this.#last ?? (await this.#collect())
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#collect()
      } catch (error) {
        this.#logger.warn('Could not collect the metrics; the last ones stay', { error })
      }
      await this.#alarm.wait(this.#everyMs, signal)
    }
  }

  async #collect(): Promise<Metrics> {
    this.#last = await metricsOf(this.#app)
    return this.#last
  }
}
