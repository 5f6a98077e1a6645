/** What an execution that does not run waits for, as a sentence with the next step. */
import { actorName } from '../access/person.ts'
import { type Dependency, dependencySentence } from '../flow/dependency-wait.ts'
import { missingHandler } from '../job/missing-handler.ts'
import { shellWord } from '../shell-word.ts'
import { type Execution, isChained } from './execution.ts'
import { type ExecutionState, isFinal } from './execution-state.ts'
import { leftText } from './left-text.ts'
import { type LimitWait, limitWaits } from './limit-waits.ts'
import { never, type StepKind } from './step.ts'
import { eventsText, type StandsFor } from './unique-key.ts'

export const waitReasons = [
  'paused',
  'queue_paused',
  'no_handler',
  'no_leader',
  'no_worker',
  'dependency',
  'overlap',
  'chain',
  'limit',
  'sleeping',
  'waiting',
  'closed',
  'not_before',
  'put_off',
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
  /** The events that it stands for; null without a key of many events. */
  readonly stands: StandsFor | null
  /** What it comes after, where that has not ended. */
  readonly dependency: Dependency | null
  /** What holds it up beside its turn, in the word of its row. */
  readonly waitsFor: string | null
  /** It is ready at an opening of its job's hours. */
  readonly atOpening: boolean
  /** Of one that waits for a share of a limit. */
  readonly limit?: LimitWait | null
  /** Of a blocked one: the run of its job that is under way. */
  readonly before: { readonly id: string; readonly state: ExecutionState } | null
}

export type Waiting = Pick<
  Execution,
  'id' | 'state' | 'cause' | 'readyAt' | 'queue' | 'attempt' | 'maxAttempts' | 'error' | 'input' | 'metadata'
>

/** Null where it runs or has ended. What needs somebody's action comes before what passes by itself. */
export function waitsOf(execution: Waiting, facts: WaitFacts, now: number): Waits | null {
  const { state, queue, readyAt } = execution
  if (state === 'running' || isFinal(state)) return null
  const { before, dependency } = facts
  if (dependency !== null) return { reason: 'dependency', sentence: dependencySentence(dependency) }
  if (state === 'blocked' && facts.waitsFor === 'paused') return heldByPause
  if (facts.limit && (state === 'blocked' || readyAt > now)) return limitWaits(facts.limit, execution, now)
  if (state === 'blocked' && before?.state === 'running') return behind(execution, before.id)
  const rest = restOf(execution, facts, now)
  if (rest !== null) return rest
  const stopped = stoppedBy(queue, facts)
  if (stopped !== null) return stopped
  if (readyAt > now && facts.atOpening) return closed(readyAt, now)
  if (readyAt > now) return putOff(execution, facts, now) ?? notBefore(execution, now)
  if (state === 'blocked' && before !== null) return behind(execution, before.id)
  if (facts.busy >= facts.slots && facts.slots > 0) return slotsBusy(queue, facts)
  return { reason: 'ready', sentence: 'It is ready: a worker will take it at any moment.' }
}

const heldByPause: Waits = {
  reason: 'paused',
  sentence: 'It came while its job was paused: it waits until the job is resumed.',
  next: 'Resume the job: `evertick jobs resume`, with --catch-up all to run all that have waited.',
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

/** Each event of its key has put it off. */
function putOff({ readyAt, state }: Waiting, { stands }: WaitFacts, now: number): Waits | null {
  if (stands?.mode !== 'debounce' || stands.followedBy !== null || state === 'retrying') return null
  const { key, events, untilAt } = stands
  const atMost = untilAt === null || untilAt <= readyAt ? '' : `, or ${leftText(untilAt, now)} if more come`
  return {
    reason: 'put_off',
    sentence: `${eventsText(events)} of the key "${key}" ${events === 1 ? 'has' : 'have'} put it off: it is due in ${leftText(readyAt, now)}${atMost}.`,
    until: readyAt,
  }
}

function closed(readyAt: number, now: number): Waits {
  return {
    reason: 'closed',
    sentence: `It is outside the opening hours of its job, which begin in ${leftText(readyAt, now)}.`,
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
