/** Lets a plan happen: nodes, faults, operators, rules; then heals everything, and proves that nothing was lost. */
import { Evertick } from '../../../src/app/evertick.ts'
import type { JobContext, JobOptions } from '../../../src/index.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { ChangeLog } from '../check/change-log.ts'
import { Checker } from '../check/checker.ts'
import type { Member, Scene } from '../check/scene.ts'
import { SizeRules } from '../check/size-rules.ts'
import { Violation } from '../check/violation.ts'
import { month } from '../plan/draw-soak.ts'
import { calm, hasWrongClocks, isOperatorStep, type Plan, type Step } from '../plan/plan.ts'
import { describeChange, describeStep } from '../report/describe.ts'
import { dropped, Faults, type Sky } from './faults.ts'
import { Life, watchConnections } from './life.ts'
import { MemberNode } from './member.ts'
import { operate } from './operator.ts'
import { Random } from './random.ts'
import { type Owner, Timeline } from './timeline.ts'

export interface Tally {
  virtualMs: number
  ticks: number
  attempts: number
  crashes: number
  failovers: number
  refused: number
  faults: number
  events: number
}

export type Say = (atMs: number, line: string) => void

let databases = 0

export class World implements Scene {
  readonly plan: Plan
  readonly checker: Checker
  readonly timeline: Timeline
  readonly wrongClocks: boolean
  readonly workerLeaseMs: number
  readonly nodes: readonly MemberNode[]
  readonly operator: { life: Life; evertick: Evertick | null }
  readonly #database: string
  readonly #store: Store
  readonly #log: ChangeLog
  readonly #say: Say | null
  readonly #lives = new Map<string, Member>()
  readonly #nature: Owner = { name: 'nature', fate: 'alive' }
  readonly #sky: Sky
  readonly #faults: Faults
  readonly #sizes = new SizeRules()
  readonly #deployed = new Map<string, JobOptions>()
  #violation: Error | null = null
  #hurried = false
  #crashes = 0
  #faultCount = 0

  static async make(plan: Plan, say: Say | null): Promise<World> {
    databases += 1
    const path = `file:/simulation-${process.pid}-${databases}?vfs=memdb`
    const database = `sqlite:${path}`
    const { store, migrator } = await openStore(database, { newId: () => 'none', tzVersion: 'simulated' })
    migrator.up(plan.startAt)
    return new World(plan, say, database, store, new ChangeLog(path))
  }

  private constructor(plan: Plan, say: Say | null, database: string, store: Store, log: ChangeLog) {
    const random = new Random(`world ${plan.mode} ${plan.seed}`)
    this.plan = plan
    this.#say = say
    this.#database = database
    this.#store = store
    this.#log = log
    this.wrongClocks = hasWrongClocks(plan)
    this.workerLeaseMs = plan.timing.workerLeaseMs
    this.checker = new Checker(this)
    this.timeline = new Timeline(plan.startAt, random.fork('order'), () => this.#afterEach())
    watchConnections(() => this.timeline.current)
    this.#sky = { weather: plan.weather, downUntil: 0, fullUntil: 0, cutOffUntil: new Map() }
    this.#faults = new Faults(this.timeline, random.fork('faults'), this.#sky, {
      answered: (_life, verb, args, result) =>
        this.#guard(() => {
          this.#look()
          this.checker.calls.answered(verb, args, result)
        }),
      failed: (_life, _verb, error) => this.checker.calls.failed(error),
      fault: (life, verb, fate) => {
        this.#faultCount += 1
        this.say(`${life.nodeId} calls ${verb}: ${fate.replace('_', ' ')}`)
      },
    })
    const around = {
      plan,
      deployed: this.#deployed,
      database,
      timeline: this.timeline,
      random,
      faults: this.#faults,
      nature: this.#nature,
      audience: {
        started: (life: Life, context: JobContext) =>
          this.#guard(() =>
            this.checker.executions.started(context.executionId, context.attempt, life.nodeId),
          ),
        endedWell: (_life: Life, context: JobContext) =>
          this.checker.executions.endedWell(context.executionId),
        hurried: () => this.#hurried,
      },
      born: (life: Life) => void this.#lives.set(life.nodeId, life),
      say: (line: string) => this.say(line),
      fail: (violation: unknown) => this.#fail(violation),
    }
    this.nodes = plan.nodes.map((node, index) => new MemberNode(index, node, around))
    const clock = { skewMs: 0, rate: 1 }
    const life = new Life('operator', this.timeline, random.fork('operator'), clock, 30_000)
    this.#lives.set(life.nodeId, life)
    this.operator = { life, evertick: null }
  }

  get now(): number {
    return this.timeline.now
  }

  /** Whose commit the rules look at. */
  writer: Member | null = null

  readonly member = (nodeId: string): Member | undefined => this.#lives.get(nodeId)

  get tally(): Tally {
    const { checker, timeline } = this
    return {
      virtualMs: timeline.now - this.plan.startAt,
      ticks: checker.ticks.ticks,
      attempts: checker.executions.attempts,
      crashes: this.#crashes,
      failovers: Math.max(0, checker.leader.terms - 1),
      refused: checker.calls.refused,
      faults: this.#faultCount,
      events: timeline.events,
    }
  }

  say(line: string): void {
    this.#say?.(this.timeline.now - this.plan.startAt, line)
  }

  /** Faults and operators do their worst. */
  async live(): Promise<void> {
    const { timeline, plan } = this
    timeline.after(0, this.operator.life, () => void this.#openOperator())
    await timeline.runUntil(timeline.now + 1, () => this.operator.evertick !== null)
    for (const node of this.nodes) timeline.after(0, this.#nature, () => node.boot())
    for (const step of plan.steps) {
      timeline.after(step.atMs, this.#nature, () => this.#take(step))
    }
    const end = plan.startAt + plan.durationMs
    while (timeline.now < end) {
      await timeline.runUntil(Math.min(end, timeline.now + month))
      if (this.#log.forget()) this.#sizes.check(this.#log.client)
    }
  }

  async #openOperator(): Promise<void> {
    const { life } = this.operator
    this.operator.evertick = await Evertick.openWith(
      { database: this.#database, clock: life.clock, nodeId: 'operator', logger: silent },
      { newId: life.newId, host: life.host, wrap: (store) => this.#faults.wrap(store, life, -1) },
    )
  }

  #take(step: Step): void {
    this.say(`— ${describeStep(step)}`)
    if (isOperatorStep(step)) return this.#operate(step)
    if (step.kind === 'down') this.#sky.downUntil = Math.max(this.#sky.downUntil, this.now + step.forMs)
    else if (step.kind === 'disk_full')
      this.#sky.fullUntil = Math.max(this.#sky.fullUntil, this.now + step.forMs)
    else if (step.kind === 'deploy') this.#deployed.set(step.job, step.options)
    else if ('node' in step) this.#befall(this.nodes[step.node], step)
  }

  #befall(node: MemberNode | undefined, step: Extract<Step, { node: number }>): void {
    if (node === undefined) return
    switch (step.kind) {
      case 'crash':
        if (node.crash(step.forMs)) this.#crashes += 1
        return
      case 'stop':
        return node.stop(step.forMs)
      case 'freeze':
        return node.freeze(step.forMs)
      case 'cut_off':
        return void this.#sky.cutOffUntil.set(step.node, this.now + step.forMs)
      case 'drop': {
        const fails = [...(node.life?.inFlight.keys() ?? [])]
        node.life?.trouble()
        for (const fail of fails) fail(dropped())
        return
      }
      case 'step_down': {
        const { life, evertick } = node
        if (life === null || evertick === null) return
        return void this.timeline.after(0, life, () => void stepDown(life, evertick))
      }
      case 'jump':
        return node.life?.clock.jump(step.ms)
      case 'drift': {
        const { life } = node
        if (life === null) return
        life.clock.rate = step.rate
        return void this.timeline.after(step.forMs, this.#nature, () => {
          life.clock.rate = 1
        })
      }
    }
  }

  #operate(step: Extract<Step, { via: number }>): void {
    const node = this.nodes[step.via]
    const [evertick, life] =
      node?.life && node.evertick ? [node.evertick, node.life] : [this.operator.evertick, this.operator.life]
    if (evertick === null) return
    if (step.kind === 'trigger' && step.force) this.checker.lanes.force(step.job)
    this.timeline.after(0, life, () => {
      operate(evertick, step, life)
        .then((answer) => this.say(`${life.nodeId} answers ${step.kind}: ${answer}`))
        .catch((error: unknown) => this.#fail(error))
    })
  }

  /** Everything that can heal heals; in a liveness history some nodes stay away for good. */
  heal(): void {
    this.say('— everything heals')
    const { plan } = this
    Object.assign(this.#sky, { weather: calm, downUntil: 0, fullUntil: 0 })
    this.#sky.cutOffUntil.clear()
    for (const node of this.nodes) {
      const stays = plan.mode === 'safety' || node.index === 0 || (plan.seed + node.index) % 3 === 0
      node.wanted = stays
      if (!stays) node.crash(0)
      else if (node.life !== null) {
        // A clock that is right enough is not set: what waits for its time would begin early by it.
        if (this.wrongClocks) node.life.clock.correct()
        node.thaw()
      } else node.boot()
    }
    this.#operate({ atMs: 0, via: -1, kind: 'resume_queue' })
  }

  /** No new ticks: what there is comes to its end. */
  stopTicking(): void {
    this.say('— every job is paused, to drain')
    this.#hurried = true
    for (const { name } of this.plan.jobs) {
      this.#operate({ atMs: 0, via: -1, kind: 'pause', job: name, forMs: null })
    }
  }

  /** Throws what went wrong. */
  rethrow(): void {
    if (this.#violation !== null) throw this.#violation
  }

  /** The product's own proof, and that what retention has passed is still counted. */
  async audit(): Promise<void> {
    const report = await this.#store.auditLedger({})
    const { unaccounted, doubled, findings } = report
    if (unaccounted + doubled > 0)
      throw new Violation(
        'the audit agrees',
        `unaccounted ${unaccounted}, doubled ${doubled}: ${JSON.stringify(findings[0])}`,
      )
    this.checker.ticks.checkTotals(this.#log.client)
  }

  async close(): Promise<void> {
    watchConnections(() => null)
    for (const { life } of this.nodes) life?.end()
    this.operator.life.end()
    this.#log.close()
    await this.#store.close()
  }

  #afterEach(): void {
    this.#guard(() => this.#look())
    this.rethrow()
  }

  #look(): void {
    const changes = this.#log.read()
    if (changes.length === 0) return
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
      this.writer = this.#lives.get(writer ?? '') ?? null
      this.checker.committed(changes.slice(from, to))
      from = to
    }
  }

  /** Whatever the engine would do with an error of the rules, the history ends with it. */
  #guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(violation: unknown): void {
    this.#violation ??= violation instanceof Error ? violation : new Error(String(violation))
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Cluster-wide: a node that does not lead ends the term of whoever does. */
async function stepDown(life: Life, evertick: Evertick): Promise<void> {
  life.steppingDown = true
  try {
    await evertick.leader.stepDown()
  } catch (error) {
    // The database is away; the operator reads that and goes home.
    if (!(error instanceof Error)) throw error
  }
  life.steppingDown = false
}
