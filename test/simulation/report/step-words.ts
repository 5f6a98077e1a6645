/** What befalls a cluster, as a person would tell it. */
import { durationWords } from '../../../src/cli/output/times.ts'
import { describeSchedule } from '../../../src/core/schedule/describe-schedule.ts'
import type { JobOptions } from '../../../src/index.ts'
import { isOperatorStep, type OperatorStep, type Step } from '../plan/plan.ts'

export function stepWords(step: Step): string {
  if (isOperatorStep(step)) {
    const who = step.via === -1 ? 'an operator' : `an operator, through n${step.via + 1},`
    return `${who} ${actionWords(step)}`
  }
  switch (step.kind) {
    case 'down':
      return `the database is down for ${durationWords(step.forMs)}`
    case 'disk_full':
      return `the disk is full for ${durationWords(step.forMs)}`
    case 'deploy':
      return `new code is deployed, for nodes that start from now on: ${step.job} with ${editWords(step.options)}`
    default:
  }
  const node = `n${step.node + 1}`
  switch (step.kind) {
    case 'crash':
      return `${node} is to be killed, and to start again after ${durationWords(step.forMs)}`
    case 'stop':
      return `${node} is to stop, and to start again after ${durationWords(step.forMs)}`
    case 'freeze':
      return `${node} is to freeze for ${durationWords(step.forMs)}`
    case 'cut_off':
      return `${node} is cut off from the database for ${durationWords(step.forMs)}`
    case 'step_down':
      return `${node} is asked to end the current term`
    case 'drop':
      return `${node}'s connections drop`
    case 'jump':
      return `${node}'s clock is set ${durationWords(Math.abs(step.ms))} ${step.ms > 0 ? 'ahead' : 'back'}`
    case 'drift':
      return `${node}'s clock runs at ${step.rate} times the speed for ${durationWords(step.forMs)}`
    default:
      return step satisfies never
  }
}

function actionWords(step: OperatorStep): string {
  switch (step.kind) {
    case 'pause':
      return `pauses ${step.job}${step.forMs === null ? '' : ` for ${durationWords(step.forMs)}`}`
    case 'resume':
      return `resumes ${step.job} (catch-up: ${step.catchUp})`
    case 'edit':
      return `edits ${step.job}: ${editWords(step.options)}`
    case 'trigger':
      return `triggers ${step.job}${step.force ? ', by force' : ''}`
    case 'backfill':
      return `backfills the last ${durationWords(step.agoMs)} of ${step.job}`
    case 'burst':
      return `enqueues ${step.count} times ${step.job}`
    case 'enqueue':
      return `enqueues ${step.job}${step.unique === null ? '' : ` with the key "${step.unique}"`}`
    case 'cancel':
      return `cancels ${step.job}`
    case 'delete':
      return `deletes ${step.job}`
    case 'cancel_execution':
      return `cancels an execution of ${step.job}`
    case 'retry_execution':
      return `retries what failed of ${step.job}`
    case 'reset_cursor':
      return `resets the cursor of ${step.job}`
    case 'pause_queue':
      return 'pauses the queue'
    case 'resume_queue':
      return 'resumes the queue'
    case 'prune':
      return 'prunes history'
    case 'lock':
      return `takes a lock of ${durationWords(step.ttlMs)} for ${durationWords(step.holdMs)}`
    case 'signal':
      return `signals "${step.wait}" (${step.id}) to ${targetWords(step.to)} of ${step.job}`
    case 'answer_all':
      return `answers whatever of ${step.job} waits`
    default:
      return step satisfies never
  }
}

function targetWords(to: Extract<OperatorStep, { kind: 'signal' }>['to']): string {
  if (typeof to === 'object') return `the key "${to.key}"`
  return to === 'ended' ? 'one that has ended' : 'the newest unfinished one'
}

function editWords({ schedule, ...rest }: JobOptions): string {
  const parts = Object.entries(rest).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return [...(schedule === undefined ? [] : [describeSchedule(schedule)]), ...parts].join(', ')
}
