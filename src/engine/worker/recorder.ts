/** Writes progress and log lines of executions in batches, at most once a second. A handler never waits for it. */

import { cutText } from '../../core/cut-text.ts'
import { withoutSecretShapes } from '../../core/job/secret-text.ts'
import type { LogRow, ProgressRow } from '../../store/store.ts'
import type { EngineContext } from '../context.ts'
import { Alarm, Service } from '../service.ts'

const everyMs = 1_000
/** How many lines of one execution are stored. */
export const maxLogLines = 1_000
const longestLine = 4_096
const longestNote = 1_000

export class Recorder extends Service {
  readonly #context: EngineContext
  readonly #alarm: Alarm
  readonly #progress = new Map<string, ProgressRow>()
  #lines: LogRow[] = []

  constructor(context: EngineContext) {
    super()
    this.#context = context
    this.#alarm = new Alarm(context.clock)
  }

  /** Returns it as it is kept. */
  progress(row: ProgressRow): ProgressRow {
    const kept = {
      ...row,
      note: row.note === null ? null : cutText(withoutSecretShapes(row.note), longestNote),
    }
    this.#wake()
    this.#progress.set(row.id, kept)
    return kept
  }

  log(line: LogRow): void {
    this.#wake()
    this.#lines.push({ ...line, message: cutText(withoutSecretShapes(line.message), longestLine) })
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.#empty) await this.#alarm.wait(this.#context.clock.longestSleepMs, signal)
      else {
        await new Alarm(this.#context.clock).wait(everyMs, signal)
        await this.flush()
      }
    }
    await this.flush()
  }

  get #empty(): boolean {
    return this.#progress.size + this.#lines.length === 0
  }

  #wake(): void {
    if (this.#empty) this.#alarm.ring()
  }

  async flush(): Promise<void> {
    const { store, logger } = this.#context
    const progress = [...this.#progress.values()]
    const lines = this.#lines
    this.#progress.clear()
    this.#lines = []
    try {
      if (progress.length > 0) await store.work.recordProgress(progress)
      if (lines.length > 0) await store.work.appendLogs(lines)
    } catch (error) {
      logger.warn(`Could not store ${lines.length} log lines of executions`, { error })
    }
  }
}
