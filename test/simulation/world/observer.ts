/** Sees what the nodes commit, hears what the store answers and what handlers begin, and holds it all against the rules. */
import type { JobContext } from '../../../src/index.ts'
import type { Store } from '../../../src/store/store.ts'
import { ChangeLog } from '../check/change-log.ts'
import { Checker } from '../check/checker.ts'
import { checkLayout } from '../check/layout-rules.ts'
import type { Member, Scene } from '../check/scene.ts'
import { SizeRules } from '../check/size-rules.ts'
import { Violation } from '../check/violation.ts'
import { hasWrongClocks, type Plan } from '../plan/plan.ts'
import { describeChange } from '../report/describe.ts'
import type { Witness } from './faults.ts'
import type { Life } from './life.ts'
import type { SimulatedLifelines } from './lifelines.ts'
import type { Timeline } from './timeline.ts'

export type Say = (atMs: number, line: string) => void

export class Observer implements Scene {
  readonly checker: Checker
  readonly wrongClocks: boolean
  readonly workerLeaseMs: number
  readonly leaderLeaseMs: number
  /** Whose commit the rules look at. */
  writer: Member | null = null
  lifelines: SimulatedLifelines | null = null
  /** How many calls of the store went wrong. */
  faults = 0
  readonly #plan: Plan
  readonly #timeline: Timeline
  readonly #log: ChangeLog
  readonly #say: Say | null
  readonly #members = new Map<string, Member>()
  readonly #sizes = new SizeRules()
  #violation: Error | null = null

  constructor(plan: Plan, path: string, timeline: Timeline, say: Say | null) {
    this.#plan = plan
    this.#timeline = timeline
    this.#say = say
    this.#log = new ChangeLog(path)
    this.wrongClocks = hasWrongClocks(plan)
    this.workerLeaseMs = plan.timing.workerLeaseMs
    this.leaderLeaseMs = plan.timing.leaderLeaseMs
    this.checker = new Checker(this, plan.listens === true)
  }

  readonly born = (life: Life): void => void this.#members.set(life.nodeId, life)

  member(nodeId: string): Member | undefined {
    return this.#members.get(nodeId)
  }

  isCut(lifeline: string | null): boolean {
    return lifeline !== null && this.lifelines?.isTied(lifeline) === false
  }

  readonly say = (line: string): void => this.#say?.(this.#timeline.now - this.#plan.startAt, line)

  /** What passes between the nodes and their store. */
  get witness(): Witness {
    return {
      answered: (verb, args, result) =>
        this.#guard(() => {
          this.#look()
          this.checker.calls.answered(verb, args, result)
        }),
      failed: (error) => this.checker.calls.failed(error),
      fault: (life, verb, fate) => {
        this.faults += 1
        this.say(`${life.nodeId} calls ${verb}: ${fate.replace('_', ' ')}`)
      },
    }
  }

  started(life: Life, { executionId, attempt }: JobContext): void {
    this.#guard(() => this.checker.executions.started(executionId, attempt, life.nodeId))
  }

  endedWell({ executionId }: JobContext): void {
    this.checker.executions.endedWell(executionId)
  }

  readonly stepRuns = (life: Life, context: JobContext, name: string): number => {
    let time = 0
    this.#guard(() => {
      this.#look()
      time = this.checker.steps.runs(context, name, life.nodeId)
    })
    return time
  }

  readonly saw = (life: Life, context: JobContext, name: string, seen: unknown): void =>
    this.#guard(() => {
      this.#look()
      // While somebody's transaction is open, what was committed before it is not known yet.
      if (!this.#log.isBehind) this.checker.steps.saw(context, name, seen, life.clock.now())
    })

  /** After each event. Throws what went wrong. */
  look(): void {
    this.#guard(() => this.#look())
    if (this.#violation !== null) throw this.#violation
  }

  /** Once a month. */
  weigh(): void {
    if (this.#log.forget()) this.#sizes.check(this.#log.client)
  }

  /** The product's own proof, and that what retention has passed is still counted. */
  async audit(store: Store): Promise<void> {
    const { unaccounted, doubled, findings } = await store.ticks.auditLedger({})
    if (unaccounted + doubled > 0)
      throw new Violation(
        'the audit agrees',
        `unaccounted ${unaccounted}, doubled ${doubled}: ${JSON.stringify(findings[0])}`,
      )
    this.checker.ticks.checkTotals(this.#log.client)
    if (this.#plan.tables === 'two') checkLayout(this.#log.client)
  }

  /** Breaks the history off: whatever the engine would do with an error of the rules, nothing hides it. */
  readonly fail = (error: unknown): void => {
    this.#violation ??= error instanceof Error ? error : new Error(String(error))
  }

  close(): void {
    this.#log.close()
  }

  #look(): void {
    const changes = this.#log.read()
    if (this.#say !== null) {
      for (const change of changes) {
        const told = describeChange(change, this.checker.model)
        if (told !== null) this.say(told)
      }
    }
    // While one node's transaction was open, nobody could look: these may be the commits of several.
    for (let from = 0; from < changes.length; ) {
      const writer = changes[from]?.writer
      const others = changes.findIndex((change, index) => index > from && change.writer !== writer)
      const to = others === -1 ? changes.length : others
      this.writer = this.#members.get(writer ?? '') ?? null
      this.checker.committed(changes.slice(from, to))
      from = to
    }
  }

  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.fail(error)
    }
  }

  get now(): number {
    return this.#timeline.now
  }
}
