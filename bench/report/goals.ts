/** The goals that need no other scheduler, and whether the kept runs reach them. */
import { figure, quantity } from '../table.ts'
import { type Bound, keeps, worst } from './bound.ts'
import { row, table } from './markdown-table.ts'
import type { Run } from './run.ts'
import { engineHeads } from './run-table.ts'

type Goal = {
  readonly what: string
  readonly run: string
  /** The names of the figures that must all keep to it. */
  readonly of: RegExp
} & ({ readonly value: Bound } | { readonly ratio: Bound })

const million = '1,000,000'

const goals: readonly Goal[] = [
  {
    what: `poll of due ticks among ${million} jobs`,
    run: 'due-scan-large',
    of: /^poll .* 1000000 jobs$/,
    value: { atMost: 100 },
  },
  {
    what: `due scan among ${million} jobs, of that among 10,000`,
    run: 'due-scan-large',
    of: /^scan .* 1000000 jobs$/,
    ratio: { atMost: 1.5 },
  },
  { what: "next tick of a cron expression, of croner's", run: 'cron', of: /./, ratio: { atLeast: 50 } },
  { what: 'lock, p99', run: 'lock', of: /^lock acquisition, p99$/, value: { atMost: 10 } },
  { what: 'sweep of 10,000 stale leases', run: 'sweep', of: /./, value: { atMost: 300 } },
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
    value: { atMost: 1_000 },
  },
  {
    what: `${million} missed ticks by \`all\``,
    run: 'missed-ticks',
    of: /catchUp all$/,
    value: { atMost: 10_000 },
  },
  {
    what: `with ${million} executions, of the time with 10,000`,
    run: 'history',
    of: /history of 1000000$/,
    ratio: { atMost: 1.5 },
  },
  { what: 'idle node, of a core', run: 'idle-cost', of: /share of a core$/, value: { atMost: 1 } },
  { what: 'idle node, asks its server', run: 'idle-cost', of: /on the server$/, value: { atMost: 2 } },
  { what: "drain by 5 nodes, of one node's", run: 'nodes', of: /by 5 nodes$/, ratio: { atLeast: 0.7 } },
  { what: 'conflicts of 5 nodes', run: 'nodes', of: /^conflicts of 5 nodes/, value: { atMost: 1 } },
  { what: 'drain, of raw', run: 'drain', of: /concurrency 50$/, ratio: { atLeast: 0.7 } },
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
    value: { atMost: 200 },
  },
]

export function goalsTable(runs: readonly Run[]): string {
  const lines = goals.map((goal) => goalRow(goal, runs))
  return table(['goal', ...engineHeads.map(([, label]) => label)], lines)
}

function goalRow(goal: Goal, runs: readonly Run[]): string {
  const all = runs.find(({ name }) => name === goal.run)?.results ?? []
  const results = all.filter(({ name }) => goal.of.test(name))
  const [first] = results
  if (first === undefined) throw new Error(`No kept run has a figure for the goal "${goal.what}".`)
  const bound = 'ratio' in goal ? goal.ratio : goal.value
  const text = (value: number) => ('ratio' in goal ? `${figure(value)}x` : quantity(value, first.unit))
  const demanded = 'atLeast' in bound ? `>= ${text(bound.atLeast)}` : `<= ${text(bound.atMost)}`
  const verdicts = engineHeads.map(([engine]) => {
    const own = results.filter((result) => result.engine === engine)
    const values = own.flatMap(({ ratio, value }) => ('ratio' in goal ? ratio : value) ?? [])
    if (values.length === 0) return ''
    const value = worst(bound, values)
    return `${keeps(bound, value) ? 'reached' : '**not reached**'}: ${text(value)}`
  })
  return row([`${goal.what} ${demanded}`, ...verdicts])
}
