import { describe, expect, it } from 'vitest'
import { madeUpPlan } from './made-up-plan.ts'
import { plainer, shortened, withoutJob, withoutNode } from './plan/leave-out.ts'
import { isOperatorStep, type Plan } from './plan/plan.ts'
import { shrinkPlan } from './plan/shrink.ts'

const has = (kind: string) => (plan: Plan) => plan.steps.some((step) => step.kind === kind)

/** Every step names nodes and jobs that are there, and comes before everything heals. */
function isSound({ nodes, jobs, steps, durationMs }: Plan): boolean {
  return steps.every((step) => {
    const job = !('job' in step) || jobs.some(({ name }) => name === step.job)
    const node = isOperatorStep(step)
      ? step.via < nodes.length
      : !('node' in step) || step.node < nodes.length
    return job && node && step.atMs <= durationMs
  })
}

describe('a failing plan', () => {
  it('is left with what it fails by, and nothing else', async () => {
    const fails = async (plan: Plan) => has('freeze')(plan) && has('pause')(plan)
    const { plan, smallest } = await shrinkPlan(madeUpPlan, fails)
    expect(plan.steps.map(({ kind }) => kind)).toEqual(['pause', 'freeze'])
    expect(plan.nodes).toHaveLength(1)
    expect(plan.steps).toContainEqual({ atMs: 3_000, kind: 'freeze', node: 0, forMs: 9_000 })
    expect(plan.jobs.map(({ name }) => name)).toEqual(['job-1'])
    expect(plan.weather).toMatchObject({ latencyMs: 0, refused: 0 })
    expect(plan.jobs[0]?.options).toEqual({ schedule: madeUpPlan.jobs[0]?.options.schedule })
    expect(plan.durationMs).toBe(3_000)
    expect(smallest).toBe(true)
  })

  it('keeps a node, a job and a clock that matter', async () => {
    const fails = async ({ nodes, jobs }: Plan) =>
      nodes.some(({ clock }) => clock.skewMs < 0) && jobs.some(({ work }) => work.throws > 0)
    const { plan } = await shrinkPlan(madeUpPlan, fails)
    expect(plan.nodes).toEqual([madeUpPlan.nodes[1]])
    expect(plan.jobs).toHaveLength(1)
    expect(plan.steps).toEqual([])
    expect(plan.durationMs).toBe(1_000)
  })

  it('is only ever tried as a plan that holds together', async () => {
    const tried: Plan[] = []
    const kinds = new Set(madeUpPlan.steps.map(({ kind }) => kind))
    for (const kind of kinds) {
      const fails = async (plan: Plan) => {
        tried.push(plan)
        return has(kind)(plan)
      }
      const { plan } = await shrinkPlan(madeUpPlan, fails)
      expect(plan.steps.map((step) => step.kind)).toEqual([kind])
    }
    expect(tried.filter((plan) => !isSound(plan))).toEqual([])
    const firsts = tried.flatMap(({ nodes }) => nodes.slice(0, 1))
    expect(firsts.filter(({ roles, lacks }) => roles.length < 2 || lacks !== null)).toEqual([])
    expect(firsts).toHaveLength(tried.length)
  })

  it('finds the one of many steps in few runs', async () => {
    const steps = Array.from({ length: 256 }, (_, index) => ({ atMs: index, kind: 'drop', node: 0 }) as const)
    const long = {
      ...madeUpPlan,
      nodes: madeUpPlan.nodes.slice(0, 1),
      jobs: madeUpPlan.jobs.slice(0, 1),
      steps,
    }
    const fails = async (plan: Plan) => plan.steps.some(({ atMs }) => atMs === 100)
    const { plan, runs } = await shrinkPlan(long, fails)
    expect(plan.steps).toEqual([{ atMs: 100, kind: 'drop', node: 0 }])
    expect(runs).toBeLessThan(80)
  })

  it('is tried by other dice, where its own spare it without a node or a job', async () => {
    const fails = async ({ seed, nodes, jobs }: Plan) => nodes.length + jobs.length >= 5 || seed > 1_000_000
    const { plan } = await shrinkPlan(madeUpPlan, fails)
    expect(plan).toMatchObject({
      seed: madeUpPlan.seed + 1_000_003,
      nodes: { length: 1 },
      jobs: { length: 1 },
    })
  })

  it('stays as it is, where it fails only as a whole', async () => {
    const { plan } = await shrinkPlan(madeUpPlan, async () => false)
    expect(plan).toBe(madeUpPlan)
  })

  it('is given up after so many runs, or so long, with the smallest found', async () => {
    const fails = async (plan: Plan) => has('jump')(plan)
    const few = await shrinkPlan(madeUpPlan, fails, { runs: 5 })
    expect(few).toMatchObject({ runs: 5, smallest: false })
    expect(has('jump')(few.plan)).toBe(true)
    let runs = 0
    const limits = { enough: () => runs >= 3, tried: (count: number) => (runs = count) }
    expect(await shrinkPlan(madeUpPlan, fails, limits)).toMatchObject({ runs: 3, smallest: false })
  })
})

describe('a plan', () => {
  it('without a node has moved the others up, and knows nothing of it', () => {
    const smaller = withoutNode(madeUpPlan, 1)
    expect(smaller?.nodes).toEqual([madeUpPlan.nodes[0], madeUpPlan.nodes[2]])
    expect(smaller?.steps).toContainEqual({ atMs: 2_000, kind: 'pause', via: 1, job: 'job-1', forMs: null })
    expect(smaller?.steps).toContainEqual({
      atMs: 5_000,
      kind: 'trigger',
      via: -1,
      job: 'job-2',
      force: false,
    })
    expect(smaller?.steps).toContainEqual({ atMs: 6_000, kind: 'jump', node: 1, ms: -30_000 })
    expect(smaller?.steps.some(({ kind }) => kind === 'freeze')).toBe(false)
  })

  it('keeps a first node that can do everything', () => {
    const [both, , worker] = madeUpPlan.nodes
    expect(withoutNode({ ...madeUpPlan, nodes: [both, worker].flatMap((node) => node ?? []) }, 0)).toBeNull()
    expect(withoutNode({ ...madeUpPlan, nodes: madeUpPlan.nodes.slice(0, 1) }, 0)).toBeNull()
  })

  it('without a job has no step and no run that names it', () => {
    const smaller = withoutJob(madeUpPlan, 'job-2')
    expect(JSON.stringify(smaller)).not.toContain('job-2')
    expect(withoutJob(smaller ?? madeUpPlan, 'job-1')).toBeNull()
  })

  it('that ends earlier has no steps after its end', () => {
    expect(shortened(madeUpPlan, 4_000)?.steps).toHaveLength(4)
    expect(shortened(madeUpPlan, 240_000)).toBeNull()
  })

  it('can be made plainer until nothing is special', () => {
    let plan = madeUpPlan
    let rounds = 0
    for (let next = plainer(plan)[0]; next !== undefined; next = plainer(plan)[0]) {
      plan = next
      rounds += 1
      expect(rounds).toBeLessThan(100)
    }
    expect(plan.nodes.every(({ clock }) => clock.skewMs === 0 && clock.rate === 1)).toBe(true)
    expect(plan.jobs.every(({ work }) => work.throws === 0 && work.durationsMs.length === 1)).toBe(true)
    expect(plan.steps.filter(isOperatorStep).every(({ via }) => via === -1)).toBe(true)
  })
})
