/** Lets a plan happen: nodes, faults and operators; then everything heals, and all work comes to its end. */
import { Evertick } from '../../../src/evertick.ts'
import type { JobContext, JobOptions } from '../../../src/index.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { month } from '../plan/draw-soak.ts'
import { calm, isOperatorStep, type Plan, type Step } from '../plan/plan.ts'
import { stepWords } from '../report/step-words.ts'
import { dropped, Faults, type Sky } from './faults.ts'
import { Life, watchConnections } from './life.ts'
import { SimulatedLifelines } from './lifelines.ts'
import { MemberNode } from './member.ts'
import { Observer, type Say } from './observer.ts'
import { operate } from './operator.ts'
import { Random } from './random.ts'
import type { Tally } from './tally.ts'
import { type Owner, Timeline } from './timeline.ts'
import { splitExecutions } from './two-tables.ts'

let databases = 0

/** The webhook's own secret is sealed with it; beside a database in memory there is none. */
process.env['EVERTICK_SECRETS_KEY'] ??= 'the key of all simulated nodes, which guards nothing'

/** A history is over sooner than a delivery is usually given up. */
const deliveryRetry = { attempts: 2, base: 500 }

/** While a history drains. */
const answerEveryMs = 5_000

export class World {
  readonly plan: Plan
  readonly timeline: Timeline
  readonly observer: Observer
  readonly nodes: readonly MemberNode[]
  readonly #operator: { readonly life: Life; evertick: Evertick | null }
  readonly #database: string
  readonly #store: Store
  readonly #nature: Owner = { name: 'nature', fate: 'alive' }
  readonly #sky: Sky
  readonly #faults: Faults
  readonly #lifelines: SimulatedLifelines
  readonly #deployed = new Map<string, JobOptions>()
  #hurried = false
  #crashes = 0

  static async make(plan: Plan, say: Say | null): Promise<World> {
    databases += 1
    const path = `file:/simulation-${process.pid}-${databases}?vfs=memdb`
    const { store, migrator } = await openStore(`sqlite:${path}`, {
      newId: () => 'none',
      tzVersion: 'simulated',
    })
    await migrator.up(plan.startAt)
    if (plan.tables === 'two') splitExecutions(path)
    return new World(plan, say, path, store)
  }

  private constructor(plan: Plan, say: Say | null, path: string, store: Store) {
    const random = new Random(`world ${plan.mode} ${plan.seed}`)
    this.plan = plan
    this.#database = `sqlite:${path}`
    this.#store = store
    const timeline = new Timeline(plan.startAt, random.fork('order'), () => this.observer.look())
    const observer = new Observer(plan, path, timeline, say)
    this.timeline = timeline
    this.observer = observer
    watchConnections(() => timeline.current)
    this.#sky = { weather: plan.weather, downUntil: 0, fullUntil: 0, cutOffUntil: new Map() }
    this.#lifelines = new SimulatedLifelines(timeline, random.fork('lifelines'), this.#sky)
    observer.lifelines = this.#lifelines
    this.#faults = new Faults(
      timeline,
      random.fork('faults'),
      this.#sky,
      observer.witness,
      plan.lifelines ? this.#lifelines : null,
    )
    const around = {
      plan,
      timeline,
      random,
      deployed: this.#deployed,
      database: this.#database,
      faults: this.#faults,
      nature: this.#nature,
      audience: {
        started: (life: Life, context: JobContext) => observer.started(life, context),
        endedWell: (context: JobContext) => observer.endedWell(context),
        stepRuns: observer.stepRuns,
        saw: observer.saw,
        hurried: () => this.#hurried,
      },
      born: observer.born,
      say: observer.say,
      fail: observer.fail,
    }
    this.nodes = plan.nodes.map((node, index) => new MemberNode(index, node, around))
    const clock = { skewMs: 0, rate: 1 }
    const life = new Life('operator', timeline, random.fork('operator'), clock, 30_000)
    observer.born(life)
    this.#operator = { life, evertick: null }
  }

  get tally(): Tally {
    const { timeline } = this
    const { checker, faults } = this.observer
    return {
      virtualMs: timeline.now - this.plan.startAt,
      ticks: checker.ticks.ticks,
      attempts: checker.executions.attempts,
      steps: checker.steps.ran,
      repeated: checker.steps.repeated,
      crashes: this.#crashes,
      failovers: Math.max(0, checker.leader.terms - 1),
      refused: checker.calls.refused,
      faults,
      events: timeline.events,
    }
  }

  /** Faults and operators do their worst. */
  async live(): Promise<void> {
    const { timeline, plan } = this
    timeline.after(0, this.#operator.life, () => void this.#openOperator())
    await timeline.runUntil(timeline.now + 1, () => this.#operator.evertick !== null)
    if (plan.listens === true) await this.#listen()
    for (const node of this.nodes) timeline.after(0, this.#nature, () => node.boot())
    for (const step of plan.steps) {
      timeline.after(step.atMs, this.#nature, () => this.#take(step))
    }
    const end = plan.startAt + plan.durationMs
    while (timeline.now < end) {
      await timeline.runUntil(Math.min(end, timeline.now + month))
      this.observer.weigh()
    }
  }

  async #openOperator(): Promise<void> {
    const { life } = this.#operator
    this.#operator.evertick = await Evertick.openWith(
      { database: this.#database, clock: life.clock, nodeId: 'operator', logger: silent },
      { newId: life.newId, host: life.host, wrap: (store) => this.#faults.wrap(store, life, -1) },
    )
  }

  /** Its address is one that may not be called: that is found out without leaving the process. */
  async #listen(): Promise<void> {
    const { timeline } = this
    const { life, evertick } = this.#operator
    const audience = { listens: false }
    const create = async () => {
      const webhook = {
        name: 'ends',
        url: 'https://10.0.0.1/',
        events: ['execution.*'],
        retry: deliveryRetry,
      }
      await evertick?.webhooks.create(webhook).catch(() => null)
      audience.listens = (await evertick?.webhooks.list().catch(() => []))?.length === 1
    }
    while (!audience.listens) {
      timeline.after(0, life, () => void create())
      await timeline.runUntil(timeline.now + 1_000, () => audience.listens)
    }
  }

  #take(step: Step): void {
    this.observer.say(`— ${stepWords(step)}`)
    if (isOperatorStep(step)) return this.#operate(step)
    if (step.kind === 'down') {
      this.#sky.downUntil = Math.max(this.#sky.downUntil, this.timeline.now + step.forMs)
      this.#lifelines.cut(() => true)
    } else if (step.kind === 'disk_full')
      this.#sky.fullUntil = Math.max(this.#sky.fullUntil, this.timeline.now + step.forMs)
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
      case 'cut_off': {
        const { cutOffUntil } = this.#sky
        const already = cutOffUntil.get(step.node) ?? 0
        cutOffUntil.set(step.node, Math.max(already, this.timeline.now + step.forMs))
        return this.#lifelines.cut((line) => line.node === step.node)
      }
      case 'drop': {
        const fails = [...(node.life?.inFlight.keys() ?? [])]
        node.life?.trouble()
        for (const fail of fails) fail(dropped())
        return this.#lifelines.cut((line) => line.node === step.node)
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
      node?.life && node.evertick
        ? [node.evertick, node.life]
        : [this.#operator.evertick, this.#operator.life]
    if (evertick === null) return
    if (step.kind === 'trigger' && step.force) this.observer.checker.lanes.force(step.job)
    this.timeline.after(0, life, () => {
      operate(evertick, step, life)
        .then((answer) => this.observer.say(`${life.nodeId} answers ${step.kind}: ${answer}`))
        .catch((error: unknown) => this.observer.fail(error))
    })
  }

  /** Everything that can heal heals; in a liveness history some nodes stay away for good. */
  heal(): void {
    this.observer.say('— everything heals')
    const { plan } = this
    Object.assign(this.#sky, { weather: calm, downUntil: 0, fullUntil: 0 })
    this.#sky.cutOffUntil.clear()
    this.#lifelines.heal()
    for (const node of this.nodes) {
      const stays = plan.mode === 'safety' || node.index === 0 || (plan.seed + node.index) % 3 === 0
      node.wanted = stays
      if (!stays) node.crash(0)
      else if (node.life !== null) {
        // A clock that is right enough is not set: what waits for its time would begin early by it.
        if (this.observer.wrongClocks) node.life.clock.correct()
        node.thaw()
      } else node.boot()
    }
  }

  /** No new ticks: what there is comes to its end. */
  stopTicking(): void {
    this.observer.say('— every job is paused, to drain')
    this.#hurried = true
    // Only now: an operator's pause may have been under way when everything healed.
    this.#operate({ atMs: 0, via: -1, kind: 'resume_queue' })
    for (const { name } of this.plan.jobs) {
      this.#operate({ atMs: 0, via: -1, kind: 'pause', job: name, forMs: null })
    }
    this.#answerAll()
  }

  /** Again and again: what comes to its wait only now waits for its signal, too. */
  #answerAll(): void {
    const jobs = this.plan.jobs.filter(({ work }) => work.parts.some(({ kind }) => kind === 'wait'))
    if (jobs.length === 0) return
    const waiting = this.observer.checker.steps.waiting()
    for (const { name } of jobs)
      if (waiting.has(name)) this.#operate({ atMs: 0, via: -1, kind: 'answer_all', job: name })
    this.timeline.after(answerEveryMs, this.#nature, () => this.#answerAll())
  }

  async audit(): Promise<void> {
    await this.observer.audit(this.#store)
  }

  async close(): Promise<void> {
    watchConnections(() => null)
    for (const { life } of this.nodes) life?.end()
    this.#operator.life.end()
    this.observer.close()
    await this.#store.close()
  }
}

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Cluster-wide: a node that does not lead ends the term of whoever does. */
async function stepDown(life: Life, evertick: Evertick): Promise<void> {
  life.stepDowns += 1
  try {
    await evertick.leader.stepDown()
    life.stepDowns -= 1
  } catch (error) {
    // The database is away; the operator reads that and goes home. What was sent may still arrive.
    if (!(error instanceof Error)) throw error
  }
}
