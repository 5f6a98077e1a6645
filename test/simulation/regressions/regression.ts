/** Histories that once broke a rule, each as the plan itself: it outlives changes of how seeds draw. */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plainNode, plainWork } from '../plan/leave-out.ts'
import { calm, type Mode, modes, type Plan } from '../plan/plan.ts'

/** What a failing seed gives, before somebody has said what it is about. */
export interface Draft {
  readonly seed: number
  readonly mode: Mode
  /** The day, as YYYY-MM-DD. */
  readonly found: string
  /** The rule. */
  readonly broke: string
  readonly plan: Plan
}

export interface Regression extends Draft {
  readonly title: string
  /** The planted bug that breaks it again, where there is one. */
  readonly bug?: string
}

export const regressionsFolder = fileURLToPath(new URL('.', import.meta.url))

export function readRegressions(
  folder: string,
): { readonly file: string; readonly regression: Regression }[] {
  return globSync('*.json', { cwd: folder })
    .toSorted()
    .map((file) => ({ file: basename(file), regression: readRegression(join(folder, file)) }))
}

export function readRegression(path: string): Regression {
  const found = readDraft(path) as Partial<Regression> & Draft
  if (!isText(found.title)) throw new Error(`${path} is no regression: look at title.`)
  return found as Regression
}

export function readDraft(path: string): Draft {
  const draft = JSON.parse(readFileSync(path, 'utf8')) as Partial<Draft>
  const { seed, mode, found, broke, plan } = draft
  const wrong = [
    ...(Number.isInteger(seed) ? [] : ['seed']),
    ...(modes.some((one) => one === mode) ? [] : ['mode']),
    ...(/^\d{4}-\d{2}-\d{2}$/.test(found ?? '') ? [] : ['found']),
    ...(isText(broke) ? [] : ['broke']),
    ...(isPlan(plan) ? [] : ['plan']),
  ]
  if (wrong.length > 0 || plan === undefined)
    throw new Error(`${path} is no regression: look at ${wrong.join(', ')}.`)
  return { ...(draft as Draft), plan: completed(plan) }
}

/** Also for a file that holds a plan and nothing else. */
export function readPlan(path: string): Plan {
  const found = JSON.parse(readFileSync(path, 'utf8')) as Plan | { plan?: unknown }
  const plan = 'plan' in found ? found.plan : found
  if (!isPlan(plan)) throw new Error(`${path} holds no plan.`)
  return completed(plan)
}

/** Gives the path of the file that it wrote. */
export function keepRegression(folder: string, regression: Regression): string {
  const path = join(folder, `${slug(regression.title)}.json`)
  // Never over another: both may be worth keeping.
  writeFileSync(path, `${JSON.stringify(regression, null, 2)}\n`, { flag: 'wx' })
  return path
}

/** A plan that was kept before plans could say more happens as it did then. */
function completed(plan: Plan): Plan {
  return {
    ...plan,
    weather: { ...calm, ...plan.weather },
    nodes: plan.nodes.map((node) => ({ ...plainNode, ...node })),
    jobs: plan.jobs.map((job) => ({ ...job, work: { ...plainWork, ...job.work } })),
  }
}

function isPlan(value: unknown): value is Plan {
  const { seed, startAt, durationMs, nodes, jobs, steps } = (value ?? {}) as Partial<Plan>
  const numbers = [seed, startAt, durationMs].every((one) => typeof one === 'number')
  return numbers && [nodes, jobs, steps].every(Array.isArray)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}
