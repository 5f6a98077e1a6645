/** Steps, sleeps and waits in the database. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import type { ExecutionState } from '../../../core/execution/execution-state.ts'
import { type Step, stepAt } from '../../../core/execution/step.ts'
import { idOrNone } from '../../../core/id.ts'
import {
  number,
  optionalNumber,
  optionalText,
  shownState,
  stepKindOf,
  stepOutcomeOf,
  text,
} from '../runtime/rows.ts'
import { insertAll, type Row, type RowOf, rows, type Script } from '../runtime/script.ts'

const columns = {
  execution_id: 'uuid',
  name: 'text',
  kind: 'text',
  fence: 'number',
  attempt: 'number',
  tries: 'number',
  begun_at: 'number',
  ends_at: 'number',
  decided_at: 'number',
  outcome: 'text',
  result: 'text',
  signal_id: 'text',
  signalled_by: 'text',
} as const

export function* insertSteps(steps: readonly RowOf<typeof columns>[]): Script<void> {
  yield* insertAll('steps', columns, steps)
}

export function* listSteps(executionId: string): Script<Step[]> {
  return (yield* listStepsOf([executionId])).flat()
}

/** In the order of the executions. */
export function* listStepsOf(executionIds: readonly string[]): Script<Step[][]> {
  const ids = executionIds.map(idOrNone)
  const steps = yield* rows(
    'SELECT * FROM @steps WHERE execution_id IN ?* ORDER BY begun_at, COALESCE(decided_at, begun_at), name',
    ids,
  )
  const found = Map.groupBy(steps, ({ execution_id }) => text(execution_id))
  return ids.map((id) => (found.get(id) ?? []).map(stepFrom))
}

function stepFrom(step: Row): Step {
  return {
    name: text(step.name),
    kind: stepKindOf(step.kind),
    fence: optionalNumber(step.fence),
    attempt: optionalNumber(step.attempt),
    tries: number(step.tries),
    begunAt: number(step.begun_at),
    endsAt: optionalNumber(step.ends_at),
    decidedAt: optionalNumber(step.decided_at),
    outcome: step.outcome === null ? null : stepOutcomeOf(step.outcome),
    result: optionalText(step.result),
    restFence: optionalNumber(step.rest_fence),
    signalId: optionalText(step.signal_id),
    signalledBy: optionalText(step.signalled_by),
  }
}

/**
 * For a retry: what has been decided is not done again. Open sleeps and waits begin anew, and of a completed execution only
 * what comes before a step that is named is kept.
 */
export function* copySteps(
  from: Pick<Execution, 'id' | 'state' | 'finishedAt'>,
  toId: string,
  fromStep: string | null,
): Script<void> {
  const steps = yield* listSteps(from.id)
  const before = fromStep === null ? steps.length : steps.findIndex(({ name }) => name === fromStep)
  if (before === -1) throw noSuchStep(from.id, fromStep ?? '', steps)
  if (from.state === 'completed' && fromStep === null) return
  const endedAt = from.finishedAt ?? 0
  const kept = steps.slice(0, before).filter((step) => stepAt(step, endedAt).decidedAt !== null)
  yield* insertSteps(
    kept.map((step) => ({
      execution_id: toId,
      name: step.name,
      kind: step.kind,
      fence: null,
      attempt: step.attempt,
      tries: step.tries,
      begun_at: step.begunAt,
      ends_at: step.endsAt,
      decided_at: step.decidedAt,
      outcome: step.outcome,
      result: step.result,
      // A signal is one, and stays with the execution that it was for.
      signal_id: null,
      signalled_by: step.signalledBy,
    })),
  )
}

function noSuchStep(id: string, name: string, steps: readonly Step[]): EvertickError {
  const names = steps.map((step) => step.name).join(', ')
  return new EvertickError('invalid_option', `Execution ${id} has no step "${name}".`, {
    field: 'fromStep',
    next: names === '' ? 'It has none: run all of it again.' : `Its steps are: ${names}.`,
  })
}

/** What an execution `e` rests for, of which a slot was given up; null where it does not rest. */
export const restText = `
  CASE WHEN e.state = 'retrying' THEN (SELECT max(s.kind) FROM @steps s
   WHERE s.execution_id = e.id AND s.rest_fence = e.fence AND s.decided_at IS NULL) END`

/** Of what was read without a look at its steps: the same, with what rests shown so. Only retries are looked up. */
export function* withRests<Shown extends { readonly id: string; readonly state: ExecutionState }>(
  executions: readonly Shown[],
): Script<Shown[]> {
  const ids = executions.filter(({ state }) => state === 'retrying').map(({ id }) => id)
  if (ids.length === 0) return [...executions]
  const found = yield* rows(
    `SELECT e.id, e.state, ${restText} AS rests_for FROM @live_executions e WHERE e.id IN ?*`,
    ids,
  )
  const resting = found.filter(({ rests_for }) => rests_for !== null)
  const states = new Map(resting.map((row) => [text(row.id), shownState(row)]))
  return executions.map((one) => ({ ...one, state: states.get(one.id) ?? one.state }))
}
