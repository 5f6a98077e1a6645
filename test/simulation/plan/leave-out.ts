/** A plan without some part of it, still a plan: steps know nodes by their place and jobs by their name. */
import { calm, isOperatorStep, type JobPlan, type Plan, type Step, type Work } from './plan.ts'

/** Null where the cluster could not do its work without the node: then anything would wait for ever. */
export function withoutNode(plan: Plan, gone: number): Plan | null {
  const nodes = plan.nodes.filter((_, index) => index !== gone)
  const [first] = nodes
  if (first === undefined || !first.roles.includes('scheduler') || !first.roles.includes('worker'))
    return null
  const placeOf = (node: number) => (node > gone ? node - 1 : node)
  const steps = plan.steps.flatMap((step): Step[] => {
    if (isOperatorStep(step)) return [{ ...step, via: step.via === gone ? -1 : placeOf(step.via) }]
    if (!('node' in step)) return [step]
    return step.node === gone ? [] : [{ ...step, node: placeOf(step.node) }]
  })
  return { ...plan, nodes, steps }
}

/** Null for the last one: a cluster without jobs proves nothing. */
export function withoutJob(plan: Plan, gone: string): Plan | null {
  const jobs = plan.jobs.filter(({ name }) => name !== gone)
  if (jobs.length === 0 || jobs.length === plan.jobs.length) return null
  return {
    ...plan,
    nodes: plan.nodes.map((node) => (node.lacks === gone ? { ...node, lacks: null } : node)),
    jobs: jobs.map((job) =>
      job.work.enqueues === gone ? { ...job, work: { ...job.work, enqueues: null } } : job,
    ),
    steps: plan.steps.filter((step) => !('job' in step) || step.job !== gone),
  }
}

/** Steps that would come after the end go as well: by then everything has healed. */
export function shortened(plan: Plan, durationMs: number): Plan | null {
  if (durationMs >= plan.durationMs) return null
  return { ...plan, durationMs, steps: plan.steps.filter(({ atMs }) => atMs <= durationMs) }
}

/** Plans in which one thing is as plain as it can be; the bolder first. */
export function plainer(plan: Plan): Plan[] {
  return [
    ...weathers(plan),
    ...(plan.lifelines ? [{ ...plan, lifelines: false }] : []),
    ...plan.nodes.flatMap((_, index) => plainerNodes(plan, index)),
    ...plan.jobs.flatMap((job) => plainerJobs(job).map((plain) => withJob(plan, plain))),
    ...plan.steps.flatMap((_, index) => byOperator(plan, index)),
  ]
}

function weathers(plan: Plan): Plan[] {
  const { weather } = plan
  const kinds = ['latencyMs', 'refused', 'replyLost', 'hang'] as const
  const bad = kinds.filter((kind) => weather[kind] > 0)
  if (bad.length === 0) return []
  return [
    { ...plan, weather: calm },
    ...bad.map((kind): Plan => ({ ...plan, weather: { ...weather, [kind]: 0 } })),
  ]
}

export const plainNode = { clock: { skewMs: 0, rate: 1 }, lacks: null }

function plainerNodes(plan: Plan, index: number): Plan[] {
  const node = plan.nodes[index]
  if (node === undefined) return []
  const { clock, lacks } = plainNode
  const wrong = node.clock.skewMs !== clock.skewMs || node.clock.rate !== clock.rate
  return [
    ...(wrong ? [{ ...plan, nodes: plan.nodes.with(index, { ...node, clock }) }] : []),
    ...(node.lacks === lacks ? [] : [{ ...plan, nodes: plan.nodes.with(index, { ...node, lacks }) }]),
  ]
}

/** Through the operator's own process, rather than through a node that may be gone. */
function byOperator(plan: Plan, index: number): Plan[] {
  const step = plan.steps[index]
  if (step === undefined || !isOperatorStep(step) || step.via === -1) return []
  return [{ ...plan, steps: plan.steps.with(index, { ...step, via: -1 }) }]
}

function withJob(plan: Plan, job: JobPlan): Plan {
  return { ...plan, jobs: plan.jobs.map((one) => (one.name === job.name ? job : one)) }
}

export const plainWork: Work = {
  durationsMs: [0],
  throws: 0,
  snoozes: 0,
  retries: 0,
  transactional: false,
  transactionMs: 0,
  heeds: true,
  enqueues: null,
  parts: [],
}

function plainerJobs(job: JobPlan): JobPlan[] {
  const { schedule, ...rest } = job.options
  const policies = Object.keys(rest) as (keyof typeof rest)[]
  const deeds = (Object.keys(plainWork) as (keyof Work)[]).filter(
    (key) => JSON.stringify(job.work[key]) !== JSON.stringify(plainWork[key]),
  )
  const kept = schedule === undefined ? {} : { schedule }
  return [
    ...(policies.length > 1 ? [{ ...job, options: kept }] : []),
    ...policies.map((policy) => {
      const { [policy]: _, ...options } = job.options
      return { ...job, options }
    }),
    ...(deeds.length > 1 ? [{ ...job, work: plainWork }] : []),
    ...deeds.map((deed) => ({ ...job, work: { ...job.work, [deed]: plainWork[deed] } })),
    ...job.work.parts.map((_, index) => ({
      ...job,
      work: { ...job.work, parts: job.work.parts.toSpliced(index, 1) },
    })),
    ...job.work.durationsMs.flatMap((ms) =>
      job.work.durationsMs.length > 1 ? [{ ...job, work: { ...job.work, durationsMs: [ms] } }] : [],
    ),
  ]
}
