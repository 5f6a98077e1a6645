/** What a node does, live: one line for each finished run, each retry, and each tick without a run. */

import { isWebhookJob } from '../../../core/notice/webhook.ts'
import { reasonSentence } from '../../../core/tick/account.ts'
import type { EventMap, EventName } from '../../../engine/events.ts'
import type { Logger } from '../../../engine/logger.ts'
import type { Evertick } from '../../../evertick.ts'
import { plainText, widthOf } from '../../output/plain-text.ts'
import type { Stream, Style } from '../../output/terminal.ts'
import { durationWords, localFormat, localText } from '../../output/times.ts'
import { LineBudget } from './line-budget.ts'

type Line = readonly [style: Style, glyph: string, job: string, text: string]

const causeWords: Readonly<Record<string, string>> = {
  catch_up: 'caught up',
  backfill: 'backfilled',
  manual: 'triggered',
  enqueue: 'enqueued',
}

const longRunMs = 2_000

export class LiveLog {
  readonly #evertick: Evertick
  readonly #out: Stream
  readonly #format: Intl.DateTimeFormat
  readonly #budget: LineBudget
  /** Up to when each job's ranges were reported; none are until the card has reported what was missed. */
  readonly #reportedUntil = new Map<string, number>()
  #reportFrom: number | null = null
  #nameWidth: number
  #held: string[] | null = []

  constructor(evertick: Evertick, out: Stream, options: { timezone: string; jobs: readonly string[] }) {
    this.#evertick = evertick
    this.#out = out
    this.#format = localFormat(options.timezone)
    this.#nameWidth = Math.min(32, Math.max(8, ...options.jobs.map(widthOf)))
    this.#budget = new LineBudget((line) => this.#write(line))
    this.#listen()
  }

  /** Lines are held back until the banner has been written. */
  begin(): void {
    const lines = this.#held ?? []
    this.#held = null
    for (const line of lines) this.#out.write(line)
  }

  /** From here on, ticks without a run are reported one by one. */
  reportTicksFrom(at: Date): void {
    this.#reportFrom = at.getTime()
  }

  /** For what has no event. */
  report(style: Style, glyph: string, subject: string, text: string): void {
    this.#add([style, glyph, subject, text])
  }

  end(): void {
    this.#budget.flush()
  }

  #listen(): void {
    this.#reportLongRuns()
    this.#on('execution:completed', ({ job, durationMs, attempt, cause, scheduledFor }) => {
      // A delivery is told of where it fails; else it would follow each line about which it tells.
      if (isWebhookJob(job)) return null
      const again = attempt > 1 ? `, attempt ${attempt}` : ''
      const why = causeWords[cause]
      const origin =
        why === undefined ? '' : ` (${why}${cause === 'catch_up' ? ` for ${this.#time(scheduledFor)}` : ''})`
      return [
        cause === 'catch_up' ? 'caught_up' : 'ran',
        '✓',
        job,
        `ran in ${durationWords(durationMs)}${again}${origin}`,
      ]
    })
    this.#on('execution:failed', ({ job, attempt, error }) => [
      'failed',
      '✗',
      job,
      `failed for good, attempt ${attempt}: ${error.message}`,
    ])
    this.#on('execution:retrying', ({ job, attempt, error, readyAt, state }) => {
      const time = this.#time(readyAt)
      if (state === 'sleeping')
        return ['dim', '☾', job, `sleeps for ${durationWords(readyAt.getTime() - Date.now())}`]
      if (state === 'waiting') return ['dim', '…', job, 'waits for a signal']
      return error === null
        ? ['late', '↻', job, `postponed until ${time}`]
        : ['late', '↻', job, `attempt ${attempt} failed: ${error.message}; next attempt at ${time}`]
    })
    this.#on('execution:cancelled', ({ job, reason }) => ['skipped', '–', job, `cancelled: ${reason}`])
    this.#on('execution:refused', ({ job }) => [
      'late',
      '!',
      job,
      'finished too late: another worker had taken it over',
    ])
    this.#on('lease:expired', ({ job, leasedBy }) => [
      'late',
      '!',
      job,
      `taken back from ${leasedBy ?? 'a worker'}, which went silent`,
    ])
    this.#on('leader:elected', ({ termId }) => ['running', '♦', 'leader', `leads, term ${termId}`])
    this.#on('leader:lost', ({ termId }) => ['late', '♦', 'leader', `no longer leads, term ${termId}`])
    this.#on('job:paused', ({ job, reason }) => [
      'paused',
      '‖',
      job,
      `paused${reason === null ? '' : `: ${reason}`}`,
    ])
    this.#on('job:resumed', ({ job }) => ['ran', '●', job, 'resumed'])
    this.#evertick.on('tick:accounted', ({ job, ranges }) => {
      // If the database does not answer, only this line is missing; the ledger has it.
      if (ranges > 0) void this.#reportRanges(job).catch(() => {})
    })
  }

  /** A long run is reported while it is running; a short one only when it ends. */
  #reportLongRuns(): void {
    const timers = new Map<string, NodeJS.Timeout>()
    this.#evertick.on('execution:started', ({ executionId, job }) => {
      const report = () => this.#add(['running', '▸', job, 'is running'])
      timers.set(executionId, setTimeout(report, longRunMs))
    })
    const ends = ['completed', 'failed', 'retrying', 'cancelled', 'refused'] as const
    for (const end of ends) {
      this.#evertick.on(`execution:${end}`, ({ executionId }) => {
        clearTimeout(timers.get(executionId))
        timers.delete(executionId)
      })
    }
  }

  #on<Name extends EventName>(event: Name, lineOf: (event: EventMap[Name]) => Line | null): void {
    this.#evertick.on(event, (detail) => {
      const line = lineOf(detail)
      if (line !== null) this.#add(line)
    })
  }

  /** Ticks without a run of their own. */
  async #reportRanges(job: string): Promise<void> {
    const from = this.#reportedUntil.get(job) ?? this.#reportFrom
    if (from === null) return
    const now = Date.now()
    this.#reportedUntil.set(job, now)
    const { ranges } = await this.#evertick.jobs.explain(job, {
      from: new Date(from),
      to: new Date(now + 5_000),
      limit: 1,
    })
    for (const { account, reason, from: first, to, count } of ranges) {
      if (to.getTime() < from) continue
      const several = count > 1 && first.getTime() >= from ? ` and ${count - 1} before it` : ''
      this.#add(['skipped', '·', job, `${account} ${this.#time(to)}${several}: ${reasonSentence(reason)}`])
    }
  }

  #add([style, glyph, job, text]: Line): void {
    const name = plainText(job)
    this.#nameWidth = Math.min(32, Math.max(this.#nameWidth, widthOf(name)))
    const padding = ' '.repeat(Math.max(0, this.#nameWidth - widthOf(name)))
    const out = this.#out
    const at = out.paint('dim', this.#time(new Date()))
    this.#budget.add(
      `${at}  ${out.paint(style, glyph)} ${name}${padding}  ${out.paint(style, plainText(text))}`,
    )
  }

  #write(line: string): void {
    if (this.#held === null) this.#out.write(line)
    else this.#held.push(line)
  }

  #time(at: Date): string {
    return localText(this.#format, at)[1] ?? ''
  }
}

/** Leaves out what the live log on the same terminal already says about executions. */
export function withoutExecutionLines(logger: Logger): Logger {
  const say = (line: keyof Logger) => (message: string, details?: object) => {
    if (details === undefined || !('executionId' in details)) logger[line](message, details)
  }
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
}
