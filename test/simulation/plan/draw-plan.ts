/**
 * Draws a history from a seed. Each seed turns on only some of the things that can happen: histories that differ much
 * from each other find more than histories in which everything happens a little.
 */
import { Random } from '../world/random.ts'
import { drawCourse, drawCourseSteps } from './draw-course.ts'
import { crowdEveryMs, drawCrowd, drawJobs, drawOptions, drawSchedule, type Era, eras } from './draw-jobs.ts'
import { drawMixedQueue, drawMixture } from './draw-mixed-queue.ts'
import { drawOwnEnqueues, drawOwnWork } from './draw-own-enqueues.ts'
import { drawSoak } from './draw-soak.ts'
import {
  calm,
  type JobPlan,
  type Mode,
  type NodePlan,
  type Plan,
  type Step,
  type Timing,
  type Weather,
} from './plan.ts'

const second = 1_000
const minute = 60 * second

/** What a seed may turn on. */
interface Swarm {
  readonly crashes: boolean
  readonly freezes: boolean
  readonly stops: boolean
  readonly weather: boolean
  readonly outages: boolean
  readonly skew: boolean
  readonly jumps: boolean
  readonly operators: boolean
  readonly locks: boolean
}

export function drawPlan(seed: number, mode: Mode): Plan {
  if (mode === 'soak') return drawSoak(seed)
  const random = new Random(`evertick ${mode} ${seed}`)
  const swarm = drawSwarm(random)
  const era = random.pick(eras)
  const durationMs = random.integer(1, 3) * minute
  const timing = drawTiming(random)
  const crowd = drawCrowd(random.fork('crowd'))
  const mixed = drawMixedQueue(random.fork('mixed queue'))
  const own = drawOwnWork(random.fork('own work'))
  const course = drawCourse(random.fork('course'), era)
  const jobs = [...drawJobs(random, era), ...crowd]
  const nodes = drawNodes(random, swarm, jobs)
  const steps = [
    ...drawSteps(random, swarm, { durationMs, timing, nodes, jobs, era }),
    ...drawMixture(random.fork('mixture'), mixed, { ...swarm, durationMs, timing, nodes }),
    ...drawOwnEnqueues(random.fork('own enqueues'), own, { ...swarm, durationMs, nodes }),
    ...drawCourseSteps(random.fork('course steps'), course, { ...swarm, durationMs, nodes }),
    ...(swarm.operators ? drawInterference(random.fork('interference'), crowd, durationMs) : []),
    ...drawPruning(random.fork('pruning'), nodes.length, durationMs),
  ].toSorted((a, b) => a.atMs - b.atMs)
  const weather = swarm.weather ? drawWeather(random) : calm
  const lifelines = random.fork('lifelines').chance(0.6)
  const tables = random.fork('tables').pick(['one', 'two'] as const)
  const listens = random.fork('listens').chance(0.25)
  const surroundings = { startAt: era.startAt, tables, listens, durationMs, timing, weather, lifelines }
  return { seed, mode, ...surroundings, nodes, jobs: [...jobs, ...mixed, ...own, ...course], steps }
}

function drawSwarm(random: Random): Swarm {
  const on = (probability: number) => random.chance(probability)
  return {
    crashes: on(0.7),
    freezes: on(0.5),
    stops: on(0.4),
    weather: on(0.5),
    outages: on(0.4),
    skew: on(0.3),
    jumps: on(0.15),
    operators: on(0.7),
    locks: on(0.3),
  }
}

function drawTiming(random: Random): Timing {
  const leaderLeaseMs = random.pick([2_000, 4_000, 10_000])
  return {
    leaderLeaseMs,
    heartbeatMs: Math.floor(leaderLeaseMs / random.pick([2, 3, 3])),
    workerLeaseMs: random.pick([1_500, 4_000, 10_000, 30_000]),
    longestSleepMs: random.pick([240_000, 600_000]),
    catchUpRate: random.pick([1, 10, 1_000]),
  }
}

function drawNodes(random: Random, swarm: Swarm, jobs: readonly JobPlan[]): NodePlan[] {
  const count = random.pick([1, 2, 2, 3, 3, 4, 5])
  const nodes = Array.from({ length: count }, (): NodePlan => {
    const roles = random.weighted({ both: 6, scheduler: 1, worker: 1 })
    return {
      roles: roles === 'both' ? ['scheduler', 'worker'] : [roles],
      concurrency: random.pick([1, 2, 10]),
      clock: {
        skewMs: swarm.skew ? random.pick([random.integer(-400, 400), random.integer(-5_000, 5_000)]) : 0,
        rate: swarm.skew && random.chance(0.3) ? random.pick([0.5, 0.99, 1.01, 2]) : 1,
      },
      lacks: random.chance(0.1) ? random.pick(jobs).name : null,
    }
  })
  // Somebody must be able to do the work.
  return [{ ...(nodes[0] as NodePlan), roles: ['scheduler', 'worker'], lacks: null }, ...nodes.slice(1)]
}

function drawWeather(random: Random): Weather {
  const rate = () => random.pick([0, 0.002, 0.02])
  return {
    latencyMs: random.pick([0, 5, 300]),
    refused: rate(),
    replyLost: rate(),
    hang: random.pick([0, 0, 0.004]),
    hangMs: random.pick([2_000, 15_000]),
  }
}

interface Scene {
  readonly durationMs: number
  readonly timing: Timing
  readonly nodes: readonly NodePlan[]
  readonly jobs: readonly JobPlan[]
  readonly era: Era
}

function drawSteps(random: Random, swarm: Swarm, scene: Scene): Step[] {
  const minutes = scene.durationMs / minute
  const steps: Step[] = []
  const add = (on: boolean, perMinute: number, draw: (atMs: number) => Step) => {
    const count = on ? random.integer(1, Math.max(1, Math.round(perMinute * minutes))) : 0
    for (let index = 0; index < count; index += 1) steps.push(draw(random.integer(0, scene.durationMs)))
  }
  const node = () => random.integer(0, scene.nodes.length - 1)
  const { leaderLeaseMs, workerLeaseMs } = scene.timing
  const forMs = () =>
    random.pick([
      random.integer(100, 2_000),
      leaderLeaseMs * 2,
      workerLeaseMs + 3_000,
      random.integer(1, 90) * second,
    ])
  add(swarm.crashes, 2, (atMs) => ({ atMs, kind: 'crash', node: node(), forMs: forMs() }))
  add(swarm.freezes, 1.5, (atMs) => ({ atMs, kind: 'freeze', node: node(), forMs: forMs() }))
  add(swarm.stops, 1, (atMs) => ({ atMs, kind: 'stop', node: node(), forMs: forMs() }))
  add(swarm.stops, 1, (atMs) => ({ atMs, kind: 'step_down', node: node() }))
  add(swarm.weather, 1, (atMs) => ({ atMs, kind: 'drop', node: node() }))
  add(swarm.outages, 0.5, (atMs) => ({ atMs, kind: 'cut_off', node: node(), forMs: forMs() }))
  add(swarm.outages, 0.4, (atMs) => ({ atMs, kind: 'down', forMs: forMs() }))
  add(swarm.outages, 0.3, (atMs) => ({ atMs, kind: 'disk_full', forMs: forMs() }))
  add(swarm.jumps, 0.5, (atMs) => ({ atMs, kind: 'jump', node: node(), ms: random.pick(jumps) }))
  add(swarm.jumps, 0.3, (atMs) => ({
    atMs,
    kind: 'drift',
    node: node(),
    rate: random.pick([0.5, 2]),
    forMs: 30_000,
  }))
  add(swarm.stops && swarm.operators, 0.5, (atMs) => ({
    atMs,
    kind: 'deploy',
    job: random.pick(scene.jobs).name,
    options: drawOptions(random, scene.era),
  }))
  add(swarm.operators, 4, (atMs) => drawOperatorStep(random, atMs, scene))
  add(swarm.locks, 6, (atMs) => ({ ...drawLock(random), atMs, via: node() }))
  add(random.chance(0.7), 2, (atMs) => drawBurst(random, atMs, scene))
  steps.push(...steps.flatMap((step) => drawTrouble(random.fork(`trouble ${step.atMs}`), step, swarm, node)))
  steps.push(...steps.flatMap((step) => drawAgain(random.fork(`again ${step.atMs}`), step)))
  return steps.toSorted((a, b) => a.atMs - b.atMs)
}

/** In the second before an instant of the crowd, when its ticks wait in a reserve. */
function drawInterference(random: Random, crowd: readonly JobPlan[], durationMs: number): Step[] {
  return crowd.map(({ name: job }): Step => {
    const instant = random.integer(1, Math.floor(durationMs / crowdEveryMs)) * crowdEveryMs
    const by = { atMs: instant - random.integer(1, second), via: -1, job }
    return random.pick<Step>([
      { ...by, kind: 'pause', forMs: random.pick([null, 3_000]) },
      { ...by, kind: 'trigger', force: false },
      { ...by, kind: 'edit', options: { schedule: { every: 3_000 } } },
      { ...by, kind: 'cancel_execution' },
    ])
  })
}

/** Folding meets everything else only where it runs often. */
function drawPruning(random: Random, nodes: number, durationMs: number): Step[] {
  if (!random.chance(0.6)) return []
  return Array.from({ length: random.integer(2, 12) }, (): Step => {
    const atMs = random.integer(0, durationMs)
    return { atMs, via: random.integer(-1, nodes - 1), kind: 'prune' }
  })
}

/**
 * More than the workers have slots for: the rest goes into their reserves. Not of what holds the only writer of a SQLite
 * file for seconds each: that is load, and no healing ends it.
 */
function drawBurst(random: Random, atMs: number, { jobs }: Scene): Step {
  const short = jobs.filter(({ work }) => Math.max(...work.durationsMs, work.transactionMs) <= 400)
  const job = random.pick(short.length > 0 ? short : jobs).name
  return { atMs, via: -1, kind: 'burst', job, count: short.length > 0 ? random.integer(10, 60) : 5 }
}

/** A burst is over soon: what is to meet it comes right behind it. */
function drawTrouble(random: Random, step: Step, swarm: Swarm, node: () => number): Step[] {
  if (step.kind !== 'burst') return []
  const { job } = step
  const soon = () => step.atMs + random.integer(0, 800)
  const kinds = random.pick([
    ['crash'],
    ['freeze'],
    ['cancel_execution'],
    ['cancel_execution', 'crash'],
  ] as const)
  return kinds.flatMap((kind): Step[] => {
    if (kind === 'cancel_execution') return swarm.operators ? [{ atMs: soon(), via: -1, kind, job }] : []
    const on = kind === 'crash' ? swarm.crashes : swarm.freezes
    return on ? [{ atMs: soon(), kind, node: node(), forMs: 20 * second }] : []
  })
}

/** Whoever enqueues with a unique key does so because it may happen twice. */
function drawAgain(random: Random, step: Step): Step[] {
  if (step.kind !== 'enqueue' || step.unique === null) return []
  return [1, 2].map(() => ({ ...step, atMs: step.atMs + random.integer(0, 1_500), via: -1 }))
}

const hour = 60 * minute
const jumps = [
  -hour,
  -30 * second,
  -2 * second,
  3 * second,
  30 * second,
  hour,
  24 * hour,
  -24 * hour,
  -Date.UTC(2026, 11),
]

function drawOperatorStep(random: Random, atMs: number, scene: Scene): Step {
  const job = random.pick(scene.jobs).name
  const via = random.chance(0.5) ? -1 : random.integer(0, scene.nodes.length - 1)
  const by = { atMs, via }
  const kind = random.weighted({
    pause: 6,
    resume: 6,
    edit: 5,
    trigger: 4,
    backfill: 2,
    enqueue: 5,
    cancel: 1,
    delete: 0.5,
    cancel_execution: 2,
    retry_execution: 1,
    pause_queue: 0.5,
    resume_queue: 1,
    reset_cursor: 0.5,
  })
  switch (kind) {
    case 'pause':
      return { ...by, kind, job, forMs: random.pick([null, 3_000, 20_000]) }
    case 'resume':
      return { ...by, kind, job, catchUp: random.pick(['skip', 'policy', 'latest', 'all']) }
    case 'edit':
      return { ...by, kind, job, options: drawEdit(random, scene.era) }
    case 'trigger':
      return { ...by, kind, job, force: random.chance(0.3) }
    case 'backfill':
      return { ...by, kind, job, agoMs: random.integer(5_000, 60_000) }
    case 'enqueue':
      return { ...by, kind, job, unique: random.pick([null, 'a', 'b']) }
    case 'pause_queue':
    case 'resume_queue':
      return { ...by, kind }
    default:
      return { ...by, kind, job }
  }
}

/** Often held for longer than it lasts: the next holder meets the release of the last. */
function drawLock(random: Random): { kind: 'lock'; ttlMs: number; holdMs: number } {
  return { kind: 'lock', ttlMs: random.integer(1, 8) * second, holdMs: random.integer(0, 12) * second }
}

function drawEdit(random: Random, era: Era): ReturnType<typeof drawOptions> {
  const { catchUp, overlap, maxConcurrent, retry } = drawOptions(random, era)
  switch (random.weighted({ schedule: 4, overlap: 3, retry: 1, description: 1 })) {
    case 'schedule':
      return { schedule: drawSchedule(random, era) }
    case 'overlap':
      return {
        ...(overlap === undefined ? {} : { overlap }),
        ...(catchUp === undefined ? {} : { catchUp }),
        maxConcurrent: maxConcurrent ?? 1,
      }
    case 'retry':
      return retry === undefined ? {} : { retry }
    case 'description':
      return { description: `edit ${random.integer(1, 1_000)}` }
  }
}
