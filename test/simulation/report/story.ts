/** A failing history as a person can read it: the cluster, the job, what happened, what broke, and how to see it again. */
import { counted, listed } from '../../../src/cli/output/count-words.ts'
import type { Broken } from '../campaign/escapes.ts'
import type { Plan } from '../plan/plan.ts'
import { excerptOf, type Gap, type Subject, type TraceLine } from './excerpt.ts'
import { clusterWords, jobWords } from './plan-words.ts'
import { clockTime, sinceStart } from './since-start.ts'

export interface Story {
  /** As it happened, made smaller. */
  readonly plan: Plan
  readonly broken: Broken
  readonly trace: readonly TraceLine[]
  /** As the seed drew it. */
  readonly drawn: Plan
  /** How many smaller ones were tried. */
  readonly runs: number
  /** Commands, each with what it is for. */
  readonly next: readonly string[]
}

const longestMessage = 12

export function storyLines({ plan, broken, trace, drawn, runs, next }: Story): string[] {
  const subject = subjectOf(broken, plan)
  const endAt = plan.startAt + (trace.at(-1)?.atMs ?? plan.durationMs)
  const job = plan.jobs.find(({ name }) => name === subject)
  const happened = excerptOf(trace, subject, broken.message).flatMap((line) =>
    'atMs' in line
      ? [`${sinceStart(line.atMs).padStart(9)}  ${clockTime(plan.startAt + line.atMs)}  ${line.line}`]
      : gapWords(line),
  )
  return [
    `Seed ${drawn.seed}, ${drawn.mode}${smallerWords(drawn, plan, runs)}`,
    '',
    `The cluster, from ${new Date(plan.startAt).toISOString()} on`,
    ...indented(clusterWords(plan)),
    ...leaders(trace),
    ...(job === undefined ? [] : ['', job.name, ...indented(jobWords(job, plan, endAt))]),
    '',
    'What happened (time since the start, UTC)',
    ...indented(happened),
    '',
    `What broke: ${broken.rule}`,
    ...indented(broken.message.split('\n').slice(0, longestMessage)),
    '',
    ...next,
  ]
}

/** The job that the rule names; else the only one; else the node that the message names. */
function subjectOf({ job, message }: Broken, { jobs }: Plan): Subject {
  if (job !== null) return job
  const named = jobs.find(({ name }) => new RegExp(`\\b${name}\\b`).test(message))
  if (named !== undefined) return named.name
  return /\bn\d+\.\d+\b/.exec(message)?.[0] ?? (jobs.length === 1 ? (jobs[0]?.name ?? null) : null)
}

function smallerWords(drawn: Plan, plan: Plan, runs: number): string {
  if (drawn === plan) return ''
  const size = ({ nodes, jobs, steps, durationMs }: Plan) => [
    counted(nodes.length, 'node'),
    counted(jobs.length, 'job'),
    counted(steps.length, 'step'),
    `${Math.round(durationMs / 1_000)} s`,
  ]
  return `, made smaller in ${counted(runs, 'run')}: ${listed(size(plan))}, of ${listed(size(drawn))}`
}

function gapWords({ runs, more }: Gap): string[] {
  const left = [
    ...(runs === 0 ? [] : [`${counted(runs, 'run')} that went well`]),
    ...(more === 0 ? [] : [`${more.toLocaleString('en')} more`]),
  ]
  // Only what belongs to runs that began before, or to a range whose end is told.
  return left.length === 0 ? [] : [`… ${listed(left)}`]
}

const mostLeaders = 6

function leaders(trace: readonly TraceLine[]): string[] {
  const terms = trace.flatMap(({ atMs, line }) => {
    const who = /^(\S+) takes the lead\b/.exec(line)?.[1]
    return who === undefined ? [] : [`${who} from ${sinceStart(atMs)} on`]
  })
  if (terms.length === 0) return indented(['Nobody ever led.'])
  const more = terms.length - mostLeaders
  const shown = terms.slice(-mostLeaders)
  const before = more > 0 ? `${counted(more, 'other')} before; then ` : ''
  return indented([`Led by ${before}${listed(shown)}.`])
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`)
}
