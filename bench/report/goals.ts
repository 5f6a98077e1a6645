/** The goals that need no other scheduler, and whether the kept runs reach them. */
import type { EngineName } from '../engines/engine.ts'
import { figure, quantity } from '../table.ts'
import { type Bound, keeps, worst } from './bound.ts'
import { row, table } from './markdown-table.ts'
import type { KeptResult, Run } from './run.ts'
import { engineHeads } from './run-table.ts'

type Goal = {
  readonly what: string
  readonly run: string
  /** The names of the figures that must all keep to it. */
  readonly of: RegExp
  /** The engines that are held to it. @default all that have a figure */
  readonly on?: readonly EngineName[]
} & ({ readonly value: Bound; readonly unit: 'ms' | '%' | '/s' | 'bytes' } | { readonly ratio: Bound })

const million = '1,000,000'
const ms = (atMost: number) => ({ value: { atMost }, unit: 'ms' }) as const
const percent = (atMost: number) => ({ value: { atMost }, unit: '%' }) as const

const sweep = { what: 'sweep of 10,000 stale leases', run: 'sweep', of: /./ } as const
const missed = {
  what: `${million} missed ticks by \`all\``,
  run: 'missed-ticks',
  of: /catchUp all$/,
} as const
const drain = { what: 'drain, of raw', run: 'drain', of: /concurrency 50$/ } as const

const goals: readonly Goal[] = [
  {
    what: `poll of due ticks among ${million} jobs`,
    run: 'due-scan-large',
    of: /^poll .* 1000000 jobs$/,
    ...ms(100),
  },
  {
    what: `due scan among ${million} jobs, of that among 10,000`,
    run: 'due-scan-large',
    of: /^scan .* 1000000 jobs$/,
    ratio: { atMost: 1.5 },
  },
  { what: 'list of 10,000 jobs by status', run: 'at-size', of: /^list /, ...ms(100) },
  { what: 'timeline of 24 hours, 200,000 runs', run: 'at-size', of: /^timeline /, ...ms(500) },
  { what: 'pause or resume of 10,000 jobs', run: 'at-size', of: /^(?:pause|resume) /, ...ms(3_000) },
  { what: 'audit of 10,000 jobs', run: 'at-size', of: /^audit /, ...ms(2_000) },
  { what: "next tick of a cron expression, of croner's", run: 'cron', of: /./, ratio: { atLeast: 50 } },
  { what: 'lock, p99', run: 'lock', of: /^lock acquisition, p99$/, ...ms(10) },
  { ...sweep, on: ['sqlite'], ...ms(300) },
  { ...sweep, on: ['postgres'], ...ms(200) },
  { ...sweep, on: ['mysql'], ...ms(400) },
  {
    what: 'next term after a leader is killed',
    run: 'failover',
    of: /^leader killed, default leases: next term, /,
    ...ms(2_000),
  },
  {
    what: 'next term after a leader is gone, of the promised time',
    run: 'failover',
    of: /: next term, /,
    ratio: { atMost: 1 },
  },
  {
    what: `${million} missed ticks by \`latest\` or \`none\``,
    run: 'missed-ticks',
    of: /catchUp (?:latest|none)$/,
    ...ms(1_000),
  },
  { ...missed, on: ['sqlite', 'postgres'], ...ms(10_000) },
  { ...missed, on: ['mysql'], ...ms(20_000) },
  {
    what: `with ${million} executions, of the time with 10,000`,
    run: 'history',
    of: /, history of 1000000$/,
    ratio: { atMost: 1.5 },
  },
  {
    what: `claim + finish with ${million} finished executions, of that with none`,
    run: 'history',
    of: /^claim \+ finish beside 1000000 finished$/,
    ratio: { atLeast: 0.9 },
  },
  {
    what: 'ten minutes of work: dead rows and size in the second half, of the first',
    run: 'long-drain',
    of: /, most in the second half$/,
    on: ['postgres'],
    ratio: { atMost: 1.2 },
  },
  {
    what: '10,000 sleepers at one instant, p99, of as many ticks',
    run: 'sleepers',
    of: /late, p99$/,
    ratio: { atMost: 1 },
  },
  { what: 'idle node, of a core', run: 'idle-cost', of: /share of a core$/, ...percent(1) },
  {
    what: 'idle node, asks its server',
    run: 'idle-cost',
    of: /on the server$/,
    value: { atMost: 2 },
    unit: '/s',
  },
  { what: "drain by 5 nodes, of one node's", run: 'nodes', of: /by 5 nodes$/, ratio: { atLeast: 0.7 } },
  { what: 'conflicts of 5 nodes', run: 'nodes', of: /^conflicts of 5 nodes/, ...percent(1) },
  { ...drain, on: ['sqlite'], ratio: { atLeast: 0.5 } },
  { ...drain, on: ['postgres'], ratio: { atLeast: 0.75 } },
  { ...drain, on: ['mysql'], ratio: { atLeast: 0.7 } },
  {
    what: 'a finished execution, with its indexes',
    run: 'drain',
    of: /^size of a finished execution$/,
    on: ['postgres'],
    value: { atMost: 350 },
    unit: 'bytes',
  },
  { what: 'enqueue one by one, of raw', run: 'enqueue', of: /one by one$/, ratio: { atLeast: 0.9 } },
  {
    what: 'enqueue by HTTP, 32 clients, of one commit per request',
    run: 'http',
    of: /^POST .* 32 clients$/,
    ratio: { atLeast: 5 },
  },
  {
    what: 'longest task while the list of jobs is scrolled',
    run: 'dashboard',
    of: /longest task/,
    ...ms(200),
  },
]

export function goalsTable(runs: readonly Run[]): string {
  const lines = goals.map((goal) => goalRow(goal, resultsFor(goal, runs)))
  return table(['goal', ...engineHeads.map(([, label]) => label)], lines)
}

/** A run that is to be kept must speak to its goals: a figure under another name would leave them open for good. */
export function checkGoals(run: Run): void {
  const measured = new Set(run.results.map(({ engine }) => engine))
  for (const goal of goals) {
    const isAsked = goal.run === run.name && (goal.on ?? [...measured]).some((engine) => measured.has(engine))
    if (isAsked && resultsFor(goal, [run]).length === 0)
      throw new Error(`The run "${run.name}" has no figure for the goal "${goal.what}".`)
  }
}

function resultsFor({ run, of, on }: Goal, runs: readonly Run[]): readonly KeptResult[] {
  const all = runs.find(({ name }) => name === run)?.results ?? []
  return all.filter(({ name, engine }) => of.test(name) && (on?.some((each) => each === engine) ?? true))
}

function goalRow(goal: Goal, results: readonly KeptResult[]): string {
  const bound = 'ratio' in goal ? goal.ratio : goal.value
  const text = (value: number) => ('ratio' in goal ? `${figure(value)}x` : quantity(value, goal.unit))
  const demanded = 'atLeast' in bound ? `>= ${text(bound.atLeast)}` : `<= ${text(bound.atMost)}`
  const verdicts = engineHeads.map(([engine]) => {
    const own = results.filter((result) => result.engine === engine)
    const values = own.flatMap(({ ratio, value }) => ('ratio' in goal ? ratio : value) ?? [])
    if (values.length === 0)
      return goal.on?.some((each) => each === engine) === true ? 'not measured yet' : ''
    const value = worst(bound, values)
    return `${keeps(bound, value) ? 'reached' : '**not reached**'}: ${text(value)}`
  })
  const isOpen = verdicts.every((verdict) => verdict === '')
  return row([`${goal.what} ${demanded}${isOpen ? ': not measured yet' : ''}`, ...verdicts])
}
