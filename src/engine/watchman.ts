/**
 * While this node leads: looks what the rules of alerts find, and writes down which alerts open, repeat and end. What is
 * decided is in `core/alert/`; the fence decides who writes it.
 */
import type { Alert } from '../core/alert/alert.ts'
import { verdictsOf } from '../core/alert/judge.ts'
import { gatherMs, mayTell } from '../core/alert/telling.ts'
import type { AlertChange, AlertLook, Fence, PausedByRule } from '../store/store.ts'
import { sayOpened, sayPaused, sayResolved } from './alert-log.ts'
import type { EngineContext } from './context.ts'
import type { Elector } from './elector.ts'
import type { JumpGuard } from './jump-guard.ts'
import { Alarm, Service } from './service.ts'

/** While there is an alert. Else 15 seconds by the host's clock; a manual clock need not stop for it. */
const watchMs = 15_000
/** Changed in one transaction: rows of alerts are light, a pause settles a job. */
const batchChanges = 500
const batchPauses = 50

export class Watchman extends Service {
  readonly #context: EngineContext
  readonly #elector: Elector
  readonly #guard: JumpGuard
  readonly #onPaused: () => void
  readonly #alarm: Alarm
  readonly #everyMs: number

  constructor(
    context: EngineContext,
    parts: { readonly elector: Elector; readonly guard: JumpGuard; readonly onPaused: () => void },
  ) {
    super()
    this.#context = context
    this.#elector = parts.elector
    this.#guard = parts.guard
    this.#onPaused = parts.onPaused
    this.#alarm = new Alarm(context.clock)
    this.#everyMs = context.clock.longestSleepMs / 2
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    let restMs = this.#everyMs
    while (!signal.aborted) {
      await this.#alarm.wait(restMs, signal, { idle: true })
      restMs = this.#everyMs
      // A clock that has leapt finds every job late.
      if (signal.aborted || this.#elector.term() === null || this.#guard.holds()) continue
      try {
        const looked = await this.#look(signal)
        if (looked.watching) restMs = Math.min(restMs, looked.untold ? gatherMs : watchMs)
      } catch (error) {
        this.#context.logger.warn('Could not look after alerts; trying again', { error })
      }
    }
  }

  async #look(signal: AbortSignal): Promise<{ watching: boolean; untold: boolean }> {
    const { store, clock } = this.#context
    const now = clock.now()
    const look = await store.alerts.lookAtAlerts(now)
    const verdicts = verdictsOf(look.found, look.unresolved, now)
    await this.#change(verdicts, now, signal)
    await this.#tell(look, signal)
    const watching = look.unresolved.length > 0 || verdicts.length > 0 || look.untold.length > 0
    const hasNews = ({ step }: AlertChange) => step === 'open' || step === 'repeat' || step === 'resolve'
    return { watching, untold: look.untold.length > 0 || verdicts.some(hasNews) }
  }

  /** Batch by batch, but said as one: ten thousand jobs that fail at once are one line in the log. */
  async #change(verdicts: readonly AlertChange[], now: number, signal: AbortSignal): Promise<void> {
    const opened: Alert[] = []
    const resolved: Alert[] = []
    const paused: PausedByRule[] = []
    try {
      for (const changes of batchesOf(verdicts)) {
        const leader = this.#lead()
        if (leader === null || signal.aborted) break
        const changed = await this.#context.store.alerts.changeAlerts({ leader, now, changes })
        if (!changed.led) {
          this.#elector.doubt(leader.termId)
          break
        }
        opened.push(...changed.opened)
        resolved.push(...changed.resolved)
        paused.push(...changed.paused)
      }
    } finally {
      sayOpened(this.#context, opened, now)
      sayResolved(this.#context, resolved, now)
      sayPaused(this.#context, paused)
      if (paused.length > 0) this.#onPaused()
    }
  }

  async #tell(look: AlertLook, signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#context
    const rules = new Map(look.found.map(({ rule }) => [rule.name, rule]))
    for (const { rule, tiding, oldestAt } of look.untold) {
      const now = clock.now()
      if (!mayTell(rules.get(rule) ?? null, oldestAt, now)) continue
      const leader = this.#lead()
      if (leader === null || signal.aborted) return
      const told = await store.alerts.tellAlerts({ leader, now, rule, tiding })
      if (!told.led) return this.#elector.doubt(leader.termId)
    }
  }

  #lead(): Fence | null {
    const term = this.#elector.term()
    return term === null ? null : { termId: term.id, holder: this.#context.nodeId }
  }
}

function batchesOf(changes: readonly AlertChange[]): AlertChange[][] {
  const batches: AlertChange[][] = []
  let pauses = 0
  for (const change of changes) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= batchChanges || (change.acts && pauses >= batchPauses)) {
      batches.push([change])
      pauses = change.acts ? 1 : 0
      continue
    }
    last.push(change)
    if (change.acts) pauses += 1
  }
  return batches
}
