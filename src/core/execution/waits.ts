/** What an execution that does not run waits for, as a sentence with the next step. */

import { actorName } from '../access/person.ts'
import { missingHandler } from '../job/missing-handler.ts'
import { formatDuration } from '../schedule/duration.ts'
import { shellWord } from '../shell-word.ts'
import { type Execution, isChained } from './execution.ts'
import { type ExecutionState, isFinal } from './execution-state.ts'
import { never, type StepKind } from './step.ts'

export const waitReasons = [
  'queue_paused',
  'no_handler',
  'no_leader',
  'no_worker',
  'overlap',
  'chain',
  'sleeping',
  'waiting',
  'not_before',
  'slots_busy',
  'ready',
] as const
export type WaitReason = (typeof waitReasons)[number]

export interface Waits {
  readonly reason: WaitReason
  readonly sentence: string
  /** Where it waits for an instant. */
  readonly until?: number
  readonly next?: string
}

export interface WaitFacts {
  readonly led: boolean
  /** What a node must have to run it. */
  readonly handler: string
  /** A live node has it. */
  readonly hasHandler: boolean
  readonly queuePause: { readonly by: string; readonly reason: string | null } | null
  /** How many executions of its queue the live nodes run at once, and how many run now. */
  readonly slots: number
  readonly busy: number
  /** The sleeps and waits that it has given up its slot for, the first to end first. */
  readonly rests: readonly { readonly name: string; readonly kind: StepKind }[]
  /** Of a blocked one: the run of its job that is under way. */
  readonly before: { readonly id: string; readonly state: ExecutionState } | null
}

export type Waiting = Pick<
  Execution,
  'id' | 'state' | 'cause' | 'readyAt' | 'queue' | 'attempt' | 'maxAttempts' | 'error'
>

/** Null where it runs or has ended. What needs somebody's action comes before what passes by itself. */
export function waitsOf(execution: Waiting, facts: WaitFacts, now: number): Waits | null {
  const { state, queue, readyAt } = execution
  if (state === 'running' || isFinal(state)) return null
  const { before } = facts
  if (state === 'blocked' && before?.state === 'running') return behind(execution, before.id)
  const rest = restOf(execution, facts, now)
  if (rest !== null) return rest
  const stopped = stoppedBy(queue, facts)
  if (stopped !== null) return stopped
  if (readyAt > now) return notBefore(execution, now)
  if (state === 'blocked' && before !== null) return behind(execution, before.id)
  if (facts.busy >= facts.slots && facts.slots > 0) return slotsBusy(queue, facts)
  return { reason: 'ready', sentence: 'It is ready: a worker will take it at any moment.' }
}

/** What brings it back is not a worker: who could run it is asked when it is ready. */
function restOf({ id, readyAt }: Waiting, { rests }: WaitFacts, now: number): Waits | null {
  const [first] = rests
  if (first === undefined || readyAt <= now) return null
  const wait = rests.find(({ kind }) => kind === 'wait')
  const until = readyAt === never ? {} : { until: readyAt }
  if (wait === undefined)
    return {
      reason: 'sleeping',
      sentence: `It sleeps ("${first.name}"), ${leftText(readyAt, now)} more.`,
      ...until,
    }
  const atMost = readyAt === never ? '' : `, ${leftText(readyAt, now)} more at most`
  return {
    reason: 'waiting',
    sentence: `It waits for the signal "${wait.name}"${atMost}.`,
    ...until,
    next: `Answer it: \`evertick executions signal ${id} ${shellWord(wait.name)}\`.`,
  }
}

function leftText(until: number, now: number): string {
  return formatDuration(Math.max(1_000, Math.ceil((until - now) / 1_000) * 1_000))
}

function stoppedBy(queue: string, { led, handler, hasHandler, queuePause, slots }: WaitFacts): Waits | null {
  if (queuePause !== null) {
    const why = queuePause.reason === null ? '' : `: ${queuePause.reason}`
    return {
      reason: 'queue_paused',
      sentence: `Queue "${queue}" was paused by ${actorName(queuePause.by)}${why}.`,
      next: `Resume it: \`evertick queues resume ${shellWord(queue)}\`.`,
    }
  }
  if (!led && (slots === 0 || !hasHandler))
    return {
      reason: 'no_leader',
      sentence: 'There is no leader, and no live node serves its queue.',
      next: 'Start a node with `evertick start`.',
    }
  if (!hasHandler) return { reason: 'no_handler', ...missingHandler(handler) }
  if (slots > 0) return null
  return {
    reason: 'no_worker',
    sentence: `No live node serves queue "${queue}".`,
    next: `Start a worker for it: \`evertick worker --queue ${shellWord(queue)}\`.`,
  }
}

function behind({ cause }: Waiting, id: string): Waits {
  return isChained(cause)
    ? {
        reason: 'chain',
        sentence: `Catch-ups and backfills run one at a time, behind the ticks: it waits for ${id}.`,
      }
    : { reason: 'overlap', sentence: `It waits for the previous run, ${id}, which is still going.` }
}

function notBefore({ state, attempt, maxAttempts, error, readyAt }: Waiting, now: number): Waits {
  const left = `in ${leftText(readyAt, now)}`
  const retries = state !== 'pending' && attempt > 0
  const failed = error === null ? 'It was snoozed' : `Attempt ${attempt} of ${maxAttempts} failed`
  return {
    reason: 'not_before',
    sentence: retries ? `${failed}: the next attempt is ${left}.` : `It is due ${left}.`,
    until: readyAt,
  }
}

function slotsBusy(queue: string, { slots, busy }: WaitFacts): Waits {
  return {
    reason: 'slots_busy',
    sentence: `All slots of queue "${queue}" are busy: ${busy} of ${slots}.`,
    next: 'Wait, raise the concurrency of the queue, or start another worker.',
  }
}
