/** What `npm run simulate` can do: one history, many of them, or the search for planted bugs. */
import { existsSync } from 'node:fs'
import { mustRun } from '../../../scripts/run-command.ts'
import { tableLines } from '../../../src/cli/output/table.ts'
import type { Terminal } from '../../../src/cli/output/terminal.ts'
import { drawPlan } from '../plan/draw-plan.ts'
import type { Plan } from '../plan/plan.ts'
import {
  type Draft,
  keepRegression,
  readDraft,
  readPlan,
  regressionsFolder,
} from '../regressions/regression.ts'
import { Progress } from '../report/progress.ts'
import { sinceStart } from '../report/since-start.ts'
import { summaryObject, writeSummary, writeViolations } from '../report/summary.ts'
import { searchBugs } from './bug-search.ts'
import { makeSmaller } from './make-smaller.ts'
import { type Options, UsageError } from './options.ts'
import { runHistory } from './run-seed.ts'
import { runSeeds } from './run-seeds.ts'
import { Totals } from './totals.ts'

export async function runMany({ out, err, json }: Terminal, options: Options): Promise<number> {
  const { seeds, from, mode, bug } = options
  const totals = new Totals(mode, from)
  const progress = new Progress(err, seeds)
  await runSeeds(options, (result) => {
    totals.add(result)
    progress.step(result.broken === null ? null : `seed ${result.seed} broke: ${result.broken.rule}`)
    return 'more'
  })
  progress.end()
  const summary = { totals, elapsedMs: progress.elapsedMs, bug }
  const [first] = totals.broken
  if (json) out.write(JSON.stringify(summaryObject(summary)))
  else {
    writeSummary(out, summary)
    writeViolations(out, totals.broken)
    if (first !== undefined) {
      const { story } = await makeSmaller(err, drawPlan(first.seed, mode), first, options)
      for (const line of ['', ...story]) out.write(line)
    }
  }
  return first === undefined ? 0 : 1
}

export async function runOne({ out, err, json }: Terminal, options: Options): Promise<number> {
  if (options.keep !== null && options.plan !== null)
    return await keep(err, options.keep, draftIn(options.plan))
  const plan = planOf(options)
  const startedAt = performance.now()
  const say = (atMs: number, line: string) => out.write(`${sinceStart(atMs).padStart(11)}  ${line}`)
  const { broken, tally } = await runHistory(plan, options.trace ? say : null)
  const totals = new Totals(plan.mode, plan.seed)
  totals.add({ seed: plan.seed, broken, tally })
  const summary = { totals, elapsedMs: performance.now() - startedAt, bug: options.bug }
  if (broken === null && options.keep !== null)
    throw new UsageError(
      `Seed ${plan.seed} breaks no rule: there is nothing to keep.`,
      `Name a seed that fails; --mode ${plan.mode} was simulated.`,
    )
  if (json) out.write(JSON.stringify(summaryObject(summary)))
  else if (broken === null || options.trace) {
    if (options.trace) out.write('')
    writeSummary(out, summary)
    writeViolations(out, totals.broken)
  }
  if (broken === null) return 0
  if ((json || options.trace) && options.keep === null) return 1
  const { story, draft } = await makeSmaller(err, plan, broken, options)
  for (const line of story) if (!json) out.write(line)
  if (options.keep !== null) await keep(err, options.keep, draft)
  return 1
}

export async function findBugs({ out, err, json }: Terminal, options: Options): Promise<number> {
  const found = await searchBugs(options, ({ bug, seed, tried }, done, total) => {
    err.write(
      `${done} of ${total}: ${bug} ${seed === null ? `not caught in ${tried} seeds` : `caught at ${seed}`}`,
    )
  })
  const missed = found.filter(({ seed }) => seed === null).length
  if (json) out.write(JSON.stringify({ mode: options.mode, bugs: found.length, missed, found }))
  else {
    const columns = [
      { title: 'bug' },
      { title: 'caught at seed', align: 'right' as const },
      { title: 'rule' },
      { title: 'what it does wrong', shrinks: true as const },
    ]
    const rows = found.map(({ bug, seed, rule, says, others }) => [
      bug,
      seed === null ? out.paint('failed', 'never') : String(seed),
      rule ?? (others.length === 0 ? '' : `(but ${others.join('; ')})`),
      says,
    ])
    for (const line of tableLines(columns, rows, out.columns, (title) => out.paint('dim', title)))
      out.write(line)
    out.write(`${found.length - missed} of ${found.length} planted bugs caught within ${options.seeds} seeds`)
  }
  return missed === 0 ? 0 : 1
}

function planOf({ seed, plan, mode }: Options): Plan {
  if (plan === null) return drawPlan(seed ?? 0, mode)
  if (!existsSync(plan)) throw new UsageError(`There is no file ${plan}.`, 'Name a regression or a plan.')
  return readPlan(plan)
}

function draftIn(path: string): Draft {
  try {
    return readDraft(path)
  } catch (error) {
    throw new UsageError((error as Error).message, 'Name the file that a story named, or use --seed S.')
  }
}

/** The rule may be kept by now: that the history broke it once, its file says. */
async function keep(err: Terminal['err'], title: string, draft: Draft): Promise<number> {
  const path = keepRegression(regressionsFolder, { title, ...draft })
  await mustRun('biome', ['format', '--write', path])
  err.write(`Kept in ${path}.`)
  return 0
}
