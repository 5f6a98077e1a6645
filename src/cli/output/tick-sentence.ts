/** What happened to a tick, as a sentence. */
import type { ExplainedTickView } from '../../app/job/explain.ts'
import type { ExecutionView } from '../../app/views.ts'
import { cancelWords } from '../../core/execution/execution.ts'
import { phraseOf } from '../../core/phrase.ts'
import {
  foldedSentence,
  heldBackSentence,
  reasonSentence,
  unaccountedSentence,
} from '../../core/tick/account.ts'
import { plainText } from './plain-text.ts'
import { durationWords, type Times } from './times.ts'

/** Also of a list of jobs. */
type Shown = Omit<ExecutionView, 'input' | 'result'>

/** A run that starts later than this after its instant is called late. */
const lateMs = 1_000

export function tickSentence(tick: ExplainedTickView, execution: Shown | undefined, times: Times): string {
  switch (tick.account) {
    case 'fired':
      if (tick.folded === true) return foldedSentence(tick.state, tick.cancelReason)
      return executionSentence(tick.state, execution, times, true)
    case 'caught_up':
      if (tick.folded === true) return `caught up: ${foldedSentence(tick.state, tick.cancelReason)}`
      return `caught up${lateness(execution)}: ${executionSentence(tick.state, execution, times, false)}`
    case 'coalesced': {
      if (execution === undefined) return `coalesced, ${reasonSentence(tick.reason)}`
      return `coalesced into the run of ${times.at(execution.scheduledFor)}`
    }
    case 'skipped':
      return tick.reason === 'disabled' ? heldBackSentence : `skipped, ${reasonSentence(tick.reason)}`
    case 'unaccounted':
      return unaccountedSentence
    case 'undecided':
      if (tick.reason === 'disabled') return heldBackSentence
      return 'due, but not decided yet: the job is paused, or there is no leader'
    case 'upcoming':
      return 'upcoming'
    case 'purged':
      return 'older than the ledger'
    default:
      return tick.account satisfies never
  }
}

/** What an execution is doing or did: "ran in 12 ms, attempt 2". `late` says whether to mention a late start. */
export function executionSentence(
  state: string | undefined,
  execution: Shown | undefined,
  times: Times,
  late: boolean,
): string {
  const attempt = execution !== undefined && execution.attempt > 1 ? `, attempt ${execution.attempt}` : ''
  const why =
    execution?.error === undefined || execution.error === null
      ? ''
      : `: ${plainText(execution.error.message)}`
  switch (state) {
    case 'completed': {
      const took =
        execution?.durationMs === null || execution === undefined
          ? ''
          : ` in ${durationWords(execution.durationMs)}`
      return `ran${took}${late ? lateness(execution) : ''}${attempt}`
    }
    case 'failed':
      return `failed after ${execution?.attempt === 1 ? '1 attempt' : `${execution?.attempt ?? 'all'} attempts`}${why}`
    case 'running':
      return execution?.startedAt == null
        ? 'running'
        : `running since ${times.at(execution.startedAt)}${attempt}`
    case 'retrying': {
      if (execution === undefined) return 'waiting for its next attempt'
      const outcome = execution.error === null ? 'postponed' : `attempt ${execution.attempt} failed${why}`
      return `${outcome}; continues ${times.next(execution.readyAt)}`
    }
    case 'sleeping':
      return waitSentence(execution) ?? 'sleeping'
    case 'waiting':
      return waitSentence(execution) ?? 'waiting for a signal'
    case 'pending':
      return waitSentence(execution) ?? 'ready, waiting for a worker'
    case 'blocked':
      return waitSentence(execution) ?? 'waiting for the previous run'
    case 'cancelled': {
      const reason = execution?.cancelReason ?? ''
      return `cancelled, ${plainText(cancelWords(reason))}`
    }
    default:
      return state ?? 'unknown'
  }
}

/** What it is waiting for, if the list that it comes from says so. */
function waitSentence(execution: Shown | undefined): string | null {
  const sentence = execution?.waits?.sentence
  if (sentence === undefined) return null
  return plainText(phraseOf(sentence))
}

function lateness(execution: Shown | undefined): string {
  if (execution?.startedAt == null) return ''
  const ms = execution.startedAt.getTime() - execution.scheduledFor.getTime()
  return ms < lateMs ? '' : `, ${durationWords(Math.round(ms / 1_000) * 1_000)} late`
}
