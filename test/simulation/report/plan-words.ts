/** A plan in words: the cluster, its jobs, and what befalls them. */
import { counted, listed } from '../../../src/cli/output/count-words.ts'
import { durationWords } from '../../../src/cli/output/times.ts'
import { describeSchedule } from '../../../src/core/schedule/describe-schedule.ts'
import { parseDuration } from '../../../src/core/schedule/duration.ts'
import { nextTicks } from '../../../src/core/schedule/next-ticks.ts'
import type { JobOptions } from '../../../src/index.ts'
import { type JobPlan, type NodePlan, type Part, type Plan, partName, type Work } from '../plan/plan.ts'

export function clusterWords({ nodes, timing, weather, lifelines, listens }: Plan): string[] {
  const clocks = nodes.flatMap(clockWords)
  return [
    `${counted(nodes.length, 'node')}: ${listed(nodes.map(nodeWords))}.`,
    `The leader's lease is ${ms(timing.leaderLeaseMs)}, renewed every ${ms(timing.heartbeatMs)}; a worker's ${ms(timing.workerLeaseMs)}.`,
    ...(clocks.length === 0 ? [] : [`Clocks: ${listed(clocks)}.`]),
    ...(lifelines ? ['Whoever leads holds a lifeline.'] : []),
    ...(listens === true ? ['A webhook hears of every end.'] : []),
    ...weatherWords(weather),
  ]
}

function nodeWords({ roles, concurrency, lacks }: NodePlan, index: number): string {
  const without = lacks === null ? '' : `, without the code of ${lacks}`
  return `n${index + 1} (${roles.join(' and ')}, ${concurrency} at once${without})`
}

function clockWords({ clock: { skewMs, rate } }: NodePlan, index: number): string[] {
  const wrong = [
    ...(skewMs === 0 ? [] : [`${ms(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead' : 'behind'}`]),
    ...(rate === 1 ? [] : [`running at ${rate} times the speed`]),
  ]
  return wrong.length === 0 ? [] : [`n${index + 1}'s is ${listed(wrong)}`]
}

function weatherWords({ latencyMs, refused, replyLost, hang, hangMs }: Plan['weather']): string[] {
  const bad = [
    ...(latencyMs === 0 ? [] : [`take up to ${ms(latencyMs)} each way`]),
    ...(refused === 0 ? [] : [`are refused (${percent(refused)})`]),
    ...(replyLost === 0 ? [] : [`lose their reply (${percent(replyLost)})`]),
    ...(hang === 0 ? [] : [`hang for ${ms(hangMs)} (${percent(hang)})`]),
  ]
  return bad.length === 0 ? [] : [`Calls of the store ${listed(bad)}.`]
}

/** `untilAt`: what of it was due up to there, where its schedule alone can tell. */
export function jobWords({ name, options, work }: JobPlan, plan: Plan, untilAt: number): string[] {
  const { schedule, ...policies } = options
  const told = Object.entries(policies).map(([key, value]) => policyWords(key, value))
  return [
    schedule === undefined ? 'Never due by itself.' : `${describeSchedule(schedule, { name })}.`,
    ...dueWords(options, plan.startAt, untilAt, name),
    `${capital(told.length === 0 ? 'default policies' : told.join('; '))}.`,
    `${workWords(work)}.`,
  ]
}

const mostTicks = 8

/** An interval counts from when its job was made, which only the history knows. */
function dueWords({ schedule }: JobOptions, fromAt: number, untilAt: number, name: string): string[] {
  if (schedule === undefined || !('cron' in schedule || 'at' in schedule)) return []
  const [from, until] = [new Date(fromAt), new Date(untilAt)]
  const ticks = nextTicks(schedule, { from, until, count: mostTicks + 1, name })
  if (ticks.length === 0) return ['Nothing of it was due.']
  const times = ticks.slice(0, mostTicks).map((tick) => tick.toISOString().slice(11, 19))
  return [`Due at ${listed(ticks.length > mostTicks ? [...times, 'later'] : times)} UTC, unless edited.`]
}

function policyWords(key: string, value: unknown): string {
  if (typeof value !== 'object' || value === null) return `${spaced(key)} ${valueWords(key, value)}`
  const parts = Object.entries(value).map(([part, inner]) => `${spaced(part)} ${valueWords(part, inner)}`)
  return `${spaced(key)}: ${parts.join(', ')}`
}

const durations = ['grace', 'window', 'base', 'max', 'age', 'timeout', 'startDeadline', 'jitter']

function valueWords(key: string, value: unknown): string {
  // The jitter of a retry is a share, and no duration.
  const isDuration = durations.includes(key) && !(key === 'jitter' && typeof value === 'number' && value <= 1)
  if (isDuration) return ms(parseDuration(value, key))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function workWords(work: Work): string {
  const { durationsMs, throws, snoozes, retries, transactional, transactionMs, heeds, enqueues, parts } = work
  const times = durationsMs.map(ms)
  const takes = times.length < 2 ? times.join('') : `${times.slice(0, -1).join(', ')} or ${times.at(-1)}`
  const held = transactionMs === 0 ? '' : `, held for ${ms(transactionMs)}`
  return [
    `Its runs take ${takes}`,
    ...(throws === 0 ? [] : [`${percent(throws)} throw`]),
    ...(snoozes === 0 ? [] : [`${percent(snoozes)} snooze`]),
    ...(retries === 0 ? [] : [`${percent(retries)} ask for a retry`]),
    ...(transactional ? [`their effect goes through ctx.transaction${held}`] : []),
    ...(heeds ? [] : ['they ignore their signal']),
    ...(enqueues === null ? [] : [`they enqueue ${enqueues}`]),
    ...(parts.length === 0 ? [] : [`before that: ${parts.map(partWords).join(', ')}`]),
  ].join('; ')
}

function partWords(part: Part, index: number): string {
  const beside = part.beside ? 'beside it ' : ''
  const name = `${beside}${partName(part, index)}`
  if (part.kind === 'sleep') return `${name} of ${ms(part.ms)}`
  if (part.kind === 'wait')
    return part.timeoutMs === null ? `${name} for ever` : `${name} for up to ${ms(part.timeoutMs)}`
  const throws =
    part.throws === 0 ? '' : `, ${percent(part.throws)} throw, ${counted(part.tries, 'try', 'tries')}`
  return `${name} in ${ms(part.ms)}${throws}`
}

function ms(value: number): string {
  return durationWords(value)
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`
}

/** maxMissedRuns: "max missed runs". */
function spaced(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
