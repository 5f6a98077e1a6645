/** A failing plan, made as small as it gets, and told. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { counted, listed } from '../../../src/cli/output/count-words.ts'
import type { Stream } from '../../../src/cli/output/terminal.ts'
import type { Mode, Plan } from '../plan/plan.ts'
import { shrinkPlan } from '../plan/shrink.ts'
import type { Draft } from '../regressions/regression.ts'
import type { TraceLine } from '../report/excerpt.ts'
import { storyLines } from '../report/story.ts'
import type { Broken } from './escapes.ts'
import type { Options } from './options.ts'
import { runHistory } from './run-seed.ts'

export interface Smaller {
  readonly draft: Draft
  readonly story: readonly string[]
}

const mostRuns = 400
/** A year takes minutes. */
const longestMs: Readonly<Record<Mode, number>> = { safety: 90_000, liveness: 90_000, soak: 1_800_000 }

export async function makeSmaller(
  err: Stream,
  drawn: Plan,
  { rule }: Broken,
  { bug }: Pick<Options, 'bug'>,
): Promise<Smaller> {
  const startedAt = performance.now()
  const mostMs = longestMs[drawn.mode]
  if (!err.tty) err.write(`Making it smaller: at most ${mostRuns} runs, or ${mostMs / 1_000} s …`)
  const fails = async (plan: Plan) => (await runHistory(plan)).broken?.rule === rule
  const { plan, runs } = await shrinkPlan(drawn, fails, {
    runs: mostRuns,
    enough: () => performance.now() - startedAt > mostMs,
    tried: (runs, { nodes, jobs, steps }) => {
      const size = [counted(nodes.length, 'node'), counted(jobs.length, 'job'), counted(steps.length, 'step')]
      if (!err.tty) return
      err.clearLine()
      err.rewriteLine(`Making it smaller: ${counted(runs, 'run')}, ${listed(size)} …`)
    },
  })
  if (err.tty) err.clearLine()
  const trace: TraceLine[] = []
  const { broken } = await runHistory(plan, (atMs, line) => trace.push({ atMs, line }))
  if (broken === null)
    throw new Error(`Seed ${drawn.seed} broke "${rule}", and then it did not: it does not replay.`)
  const found = new Date().toISOString().slice(0, 10)
  const draft = { seed: drawn.seed, mode: drawn.mode, found, broke: rule, plan }
  const next = nextWords(draft, bug)
  return { draft, story: storyLines({ plan, broken, trace, drawn, runs, next }) }
}

function nextWords(draft: Draft, bug: string | null): string[] {
  const { seed, mode } = draft
  const folder = join(tmpdir(), 'evertick-simulation')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${mode}-${seed}${bug === null ? '' : `-${bug}`}.json`)
  writeFileSync(file, JSON.stringify(draft))
  const planted = bug === null ? '' : ` --bug ${bug}`
  const named = `--seed ${seed}${mode === 'safety' ? '' : ` --mode ${mode}`}`
  const simulate = 'npm run simulate --'
  return [
    `Replay:       ${simulate} ${named}${planted} --trace`,
    `The smaller:  ${simulate} --plan ${file}${planted} --trace`,
    ...(bug === null ? [`Keep it:      ${simulate} --plan ${file} --keep 'what broke'`] : []),
  ]
}
