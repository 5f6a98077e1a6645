/** Random histories through the whole stack: two nodes on one file, each with a clock that can be frozen. */

import fc from 'fast-check'
import { catchUpPolicies, overlapPolicies } from '../../src/core/job/policies.ts'
import { stableHash } from '../../src/core/stable-hash.ts'
import { defineJob, EvertickError, type JobContext, type JobOptions, outcome } from '../../src/index.ts'
import { ManualClock, openTestNode, type TestNode } from '../../src/testing/index.ts'
import { type DatabaseFile, quiet, t0 } from './support.ts'

/** Others' writes are seen within 5 s, so that a virtual hour is not full of looking. */
class NodeClock extends ManualClock {
  override readonly longestSleepMs = 600_000
}

export type Step =
  | { readonly kind: 'pass'; readonly seconds: number }
  | { readonly kind: 'pause'; readonly job: number; readonly seconds: number | null }
  | { readonly kind: 'resume'; readonly job: number; readonly catchUp: 'skip' | 'policy' | 'latest' | 'all' }
  | { readonly kind: 'edit'; readonly job: number; readonly options: JobOptions }
  | { readonly kind: 'trigger'; readonly job: number; readonly force: boolean }
  | { readonly kind: 'backfill'; readonly job: number; readonly seconds: number }
  | { readonly kind: 'enqueue' | 'cancel' | 'cancel_execution' | 'delete'; readonly job: number }
  | { readonly kind: 'open' | 'stop' | 'freeze' | 'thaw' | 'crash' | 'step_down'; readonly node: number }

const schedule = fc.oneof(
  fc.integer({ min: 1_500, max: 20_000 }).map((every) => ({ every })),
  fc.constantFrom('*/7 * * * * *', '* * * * *', '30 * * * * *').map((cron) => ({ cron })),
  fc.integer({ min: 1_000, max: 10_000 }).map((fixedDelay) => ({ fixedDelay })),
)
const overlap = fc.constantFrom(...overlapPolicies)

export const policies: fc.Arbitrary<JobOptions> = fc
  .record(
    {
      schedule,
      overlap,
      catchUp: fc.record({
        policy: fc.constantFrom(...catchUpPolicies),
        maxMissedRuns: fc.integer({ min: 1, max: 4 }),
        grace: fc.constantFrom(1_000, 60_000),
      }),
      maxConcurrent: fc.integer({ min: 1, max: 2 }),
      retry: fc.record({ attempts: fc.integer({ min: 1, max: 3 }) }),
      onCrash: fc.constantFrom('retry', 'fail'),
      timeout: fc.constant(5_000),
      startDeadline: fc.constant(30_000),
      jitter: fc.constant(3_000),
      maxRuns: fc.integer({ min: 3, max: 20 }),
    },
    { requiredKeys: ['schedule', 'overlap', 'catchUp', 'retry', 'onCrash'] },
  )
  .map(({ maxConcurrent = 1, ...rest }) => (rest.overlap === 'allow' ? rest : { ...rest, maxConcurrent }))
  .filter((options) => options.overlap !== 'cancel_running' || options.catchUp.policy !== 'all')

const job = fc.integer({ min: 0, max: 2 })
const node = fc.integer({ min: 0, max: 1 })
const kind = <K extends Step['kind']>(...kinds: K[]) => fc.constantFrom(...kinds)
const seconds = (max: number) => fc.double({ min: 0.01, max, noNaN: true })
const catchUp = fc.constantFrom('skip', 'policy', 'latest', 'all')

export const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: kind('pass'), seconds: seconds(60) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('pass'), seconds: seconds(600) }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('pause'), job, seconds: fc.option(seconds(60)) }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('resume'), job, catchUp }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('edit'), job, options: fc.record({ schedule }) }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('edit'), job, options: fc.record({ overlap }) }) },
    { weight: 2, arbitrary: fc.record({ kind: kind('trigger'), job, force: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ kind: kind('backfill'), job, seconds: seconds(30) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: kind('enqueue', 'cancel', 'cancel_execution', 'delete'), job }),
    },
    {
      weight: 6,
      arbitrary: fc.record({ kind: kind('open', 'stop', 'freeze', 'thaw', 'crash', 'step_down'), node }),
    },
  ),
  { minLength: 4, maxLength: 16 },
)

interface Member {
  readonly node: TestNode
  readonly clock: NodeClock
  frozen: boolean
}

export class World {
  now = t0
  readonly #database: DatabaseFile
  readonly #policies: readonly JobOptions[]
  readonly #members: (Member | null)[] = [null, null]
  readonly #crashed: TestNode[] = []

  constructor(database: DatabaseFile, jobs: readonly JobOptions[]) {
    this.#database = database
    this.#policies = jobs
  }

  async take(step: Step): Promise<void> {
    try {
      await this.#take(step)
    } catch (error) {
      // An operator may ask for what cannot be done; an error without such a code is ours.
      const refusals = ['conflict', 'not_found', 'usage']
      if (!(error instanceof EvertickError) || !refusals.includes(error.kind)) throw error
    }
  }

  async #take(step: Step): Promise<void> {
    if (step.kind === 'pass') return await this.pass(step.seconds * 1_000)
    if ('node' in step) return await this.#change(step.kind, step.node)
    const { evertick } = this.operator ?? {}
    if (evertick === undefined) return
    const name = `job ${step.job}`
    const ms = (value: number) => Math.ceil(value * 1_000)
    switch (step.kind) {
      case 'pause': {
        const until = step.seconds === null ? {} : { until: ms(step.seconds) }
        return void (await evertick.jobs.pause(name, until))
      }
      case 'resume':
        return void (await evertick.jobs.resume(name, { catchUp: step.catchUp }))
      case 'edit':
        return void (await evertick.jobs.update(name, step.options))
      case 'trigger':
        return void (await evertick.jobs.trigger(name, { force: step.force }))
      case 'backfill': {
        const [from, to] = [new Date(this.now - ms(step.seconds)), new Date(this.now)]
        return void (await evertick.jobs.backfill(name, { from, to }))
      }
      case 'enqueue':
        return void (await evertick.enqueue(name))
      case 'cancel':
        return void (await evertick.jobs.cancel(name))
      case 'delete':
        return await evertick.jobs.delete(name)
      case 'cancel_execution': {
        const { executions } = await evertick.executions.list({ job: name, limit: 3 })
        const [open] = executions.filter(({ finishedAt }) => finishedAt === null)
        if (open !== undefined) await evertick.executions.cancel(open.id)
      }
    }
  }

  /** The node that operators speak to. */
  get operator(): TestNode | undefined {
    return this.#awake[0]?.node
  }

  get #awake(): Member[] {
    return this.#members.filter((member) => member?.frozen === false) as Member[]
  }

  async pass(ms: number): Promise<void> {
    const until = this.now + Math.round(ms)
    await this.#settle()
    for (;;) {
      const next = Math.min(...this.#awake.map(({ clock }) => clock.nextTimerAt() ?? Infinity))
      if (next > until) break
      await this.#moveTo(next)
    }
    await this.#moveTo(until)
  }

  async #moveTo(instant: number): Promise<void> {
    this.now = Math.max(this.now, instant)
    for (const { clock } of this.#awake) clock.moveTo(this.now)
    await this.#settle()
  }

  async #settle(): Promise<void> {
    for (const { node } of this.#awake) await node.settle()
  }

  async #change(change: Extract<Step, { node: number }>['kind'], index: number): Promise<void> {
    const member = this.#members[index] ?? null
    if (change === 'open') {
      if (member === null) this.#members[index] = await this.#open()
    } else if (member === null) {
      return
    } else if (change === 'freeze') {
      member.frozen = true
    } else if (change === 'thaw') {
      member.frozen = false
      await this.#moveTo(this.now)
    } else if (change === 'crash') {
      this.#crashed.push(member.node)
      this.#members[index] = null
    } else if (change === 'stop') {
      this.#members[index] = null
      member.clock.moveTo(this.now)
      await member.node.stop()
    } else if (!member.frozen) {
      await member.node.evertick.leader.stepDown()
    }
  }

  async #open(): Promise<Member> {
    const clock = new NodeClock(this.now)
    const node = await openTestNode({
      database: this.#database.url,
      clock,
      logger: quiet,
      leader: { lease: '30s', heartbeat: '10s' },
      worker: { lease: '20s' },
      jobs: this.#policies.map((options, index) => this.#job(index, options, clock)),
    })
    return { node, clock, frozen: false }
  }

  /** What a run does is thrown by its tick and attempt, the same in every replay of a history. */
  #job(index: number, options: JobOptions, clock: NodeClock) {
    const durations = [0, 0, 0, 400, 3_000, 7_000] as const
    return defineJob({
      name: `job ${index}`,
      retention: { executions: 1_000_000, age: '1000d' },
      ...options,
      async run(context) {
        const { job, cause, attempt, scheduledFor, signal } = context
        const dice = stableHash(`${job}:${cause}:${attempt}:${scheduledFor.getTime()}`)
        const heeds = dice % 7 !== 0
        await clock.sleep(durations[dice % durations.length] ?? 0, heeds ? signal : undefined)
        if (heeds) signal.throwIfAborted()
        return await ended(context, Math.floor(dice / 100) % 20)
      },
    })
  }

  /** Brings everybody back who was frozen, and lets all work come to its end. */
  async heal(): Promise<TestNode> {
    for (const index of [0, 1]) await this.#change('thaw', index)
    await this.#change('open', 0)
    await this.pass(60_000)
    for (const [index] of this.#policies.entries()) {
      await this.take({ kind: 'pause', job: index, seconds: null })
    }
    await this.pass(20 * 60_000)
    const { operator } = this
    if (operator === undefined) throw new Error('nobody is awake')
    return operator
  }

  async close(): Promise<void> {
    for (const member of this.#members) await member?.node.stop()
    for (const node of this.#crashed) await node.stop()
  }
}

async function ended(context: JobContext, luck: number): Promise<unknown> {
  if (luck < 3) throw new Error('before')
  if (luck === 3) return outcome.retry('2s')
  const done = await context.transaction(async (tx) => {
    await tx.sql`INSERT INTO effects VALUES (${context.executionId}, ${context.attempt})`
    if (luck === 4) throw new Error('inside')
    return luck
  })
  if (luck === 5) throw new Error('after')
  return done
}
