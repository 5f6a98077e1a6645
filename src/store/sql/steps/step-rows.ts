/** Steps, sleeps and waits in the database. */
import { EvertickError } from '../../../core/error.ts'
import type { Execution } from '../../../core/execution/execution.ts'
import type { Step } from '../../../core/execution/step.ts'
import { idOrNone } from '../../../core/id.ts'
import { number, optionalNumber, optionalText, stepKindOf, stepOutcomeOf, text } from '../runtime/rows.ts'
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
  const steps = yield* rows(
    'SELECT * FROM @steps WHERE execution_id = ? ORDER BY begun_at, COALESCE(decided_at, begun_at), name',
    idOrNone(executionId),
  )
  return steps.map(stepFrom)
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
    signalId: optionalText(step.signal_id),
    signalledBy: optionalText(step.signalled_by),
  }
}

/**
 * For a retry: what has been decided is not done again. Open sleeps and waits begin anew, and of a completed execution only
 * what comes before a step that is named is kept.
 */
export function* copySteps(
  from: Pick<Execution, 'id' | 'state'>,
  toId: string,
  fromStep: string | null,
): Script<void> {
  const steps = yield* listSteps(from.id)
  const before = fromStep === null ? steps.length : steps.findIndex(({ name }) => name === fromStep)
  if (before === -1) throw noSuchStep(from.id, fromStep ?? '', steps)
  if (from.state === 'completed' && fromStep === null) return
  const kept = steps.slice(0, before).filter(({ decidedAt }) => decidedAt !== null)
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
