/** Steps, sleeps and waits as they are shown; and the signals that answer waits. */
import type { Execution } from '../../core/execution/execution.ts'
import {
  refuseStepName,
  type Step,
  type StepKind,
  type StepOutcome,
  stepAt,
} from '../../core/execution/step.ts'
import { storable } from '../../core/payload.ts'
import type { Signalled, SignalTarget } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { type ActorOptions, changeContext } from '../change-context.ts'

export interface StepView {
  readonly name: string
  readonly kind: StepKind
  /** `open` while it sleeps or waits. */
  readonly outcome: StepOutcome | 'open'
  readonly result: unknown
  /** The attempt that began it; null where a signal came before its wait. */
  readonly attempt: number | null
  /** How often its function was called. */
  readonly tries: number
  readonly startedAt: Date
  /** The end of a sleep, the timeout of a wait. */
  readonly until: Date | null
  readonly finishedAt: Date | null
  /** Who has answered a wait. */
  readonly by: string | null
}

/** The steps of an execution at an instant; what it rests for is open until it has come back. */
export function stepViews(
  steps: readonly Step[],
  { state, fence, finishedAt }: Pick<Execution, 'state' | 'fence' | 'finishedAt'>,
  at: number,
): StepView[] {
  const rests = state === 'sleeping' || state === 'waiting'
  return steps.map((step) =>
    stepView(rests && step.restFence === fence ? step : stepAt(step, finishedAt ?? at)),
  )
}

function stepView(step: Step): StepView {
  const { name, kind, attempt, tries, signalledBy } = step
  return {
    name,
    kind,
    outcome: step.outcome ?? 'open',
    result: shown(step.result),
    attempt,
    tries,
    startedAt: new Date(step.begunAt),
    until: step.endsAt === null ? null : new Date(step.endsAt),
    finishedAt: step.decidedAt === null ? null : new Date(step.decidedAt),
    by: signalledBy,
  }
}

/** A memo that cannot be read is shown as it is. */
function shown(result: string | null): unknown {
  if (result === null) return null
  try {
    return JSON.parse(result)
  } catch {
    return result
  }
}

export interface SignalOptions extends ActorOptions {
  /** The same id is one signal, however often it is sent. @default a new one */
  readonly id?: string
}

export async function signal(
  app: AppContext,
  target: SignalTarget,
  name: string,
  payload: unknown,
  { id = app.newId(app.clock.now()), ...by }: SignalOptions = {},
): Promise<Signalled> {
  refuseStepName(name)
  const kept = storable(payload, 'payload', app.maxPayloadBytes)
  const written = kept === undefined ? null : JSON.stringify(kept)
  const signalled = await app.store.steps.signalExecution(
    target,
    { id, name, payload: written },
    changeContext(app, by),
  )
  app.enqueued()
  return signalled
}
