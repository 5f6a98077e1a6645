/** A flow as its user writes it, checked. */
import { EvertickError } from '../../core/error.ts'
import { type OnFailure, onFailures } from '../../core/flow/flow.ts'
import { refuseBadFlow } from '../../core/flow/flow-graph.ts'
import type { EnqueueOptions, JobReference } from '../../engine/worker/handler.ts'
import type { CallerTransaction, NewFlow, NewFlowStep } from '../../store/store.ts'
import type { AppContext } from '../app-context.ts'
import { refuseBadName, refuseUnknown } from '../config/call-options.ts'
import type { Producer } from '../execution/producer.ts'

export interface FlowOptions {
  /** By name: what is done, and after what. */
  readonly steps: Readonly<Record<string, FlowStepOptions>>
  /** What it is called in lists. */
  readonly name?: string
  /** The caller's own transaction: the flow exists if and only if it commits. */
  readonly tx?: CallerTransaction
}

export interface FlowStepOptions {
  readonly job: JobReference
  readonly input?: unknown
  /** The names of the steps that it waits for. @default none */
  readonly after?: readonly string[]
  /** Where it fails or is cancelled: the steps after it are cancelled, or go on. @default 'cancel' */
  readonly onFailure?: OnFailure
  readonly options?: StepEnqueueOptions
}

/** A step has no unique key: another execution could not stand for it. */
export type StepEnqueueOptions = Omit<EnqueueOptions, 'tx' | 'unique'>

export async function newFlow(
  { clock, newId }: Pick<AppContext, 'clock' | 'newId'>,
  producer: Producer,
  flow: FlowOptions,
): Promise<NewFlow> {
  refuseUnknown(flow, ['steps', 'name', 'tx'], 'flow')
  const { name, steps } = flow
  if (name !== undefined) refuseBadName(name, 'name')
  if (typeof steps !== 'object' || steps === null)
    throw refused('steps', 'steps must be an object of steps by name.')
  const edges = Object.entries(steps).map(([step, options]) => ({
    name: step,
    after: afterOf(step, options),
    written: options,
  }))
  refuseBadFlow(edges)
  const now = clock.now()
  // The first id that it makes: a request that is sent again is known by it.
  const id = newId(now)
  const made: NewFlowStep[] = []
  for (const { name: step, after, written } of edges) {
    const { job, input, onFailure = 'cancel', options = {} } = written
    const execution = await producer.draftOf(job, input, options).catch(inStep(step))
    made.push({ name: step, after, onFailure, execution })
  }
  return { id, name: name ?? null, createdAt: now, steps: made }
}

const stepNames = ['job', 'input', 'after', 'onFailure', 'options']

function afterOf(name: string, step: FlowStepOptions): readonly string[] {
  const field = `steps.${name}`
  if (typeof step !== 'object' || step === null) throw refused(field, `Step "${name}" must be an object.`)
  refuseUnknown(step, stepNames, `step "${name}"`)
  const { job, after = [], onFailure, options = {} } = step
  if (job === undefined) throw refused(`${field}.job`, `Step "${name}" has no job.`)
  if (!Array.isArray(after) || !after.every((one) => typeof one === 'string'))
    throw refused(`${field}.after`, `\`after\` of step "${name}" must be a list of names of steps.`)
  if (onFailure !== undefined && !onFailures.includes(onFailure))
    throw refused(`${field}.onFailure`, `\`onFailure\` of step "${name}" must be ${onFailures.join(' or ')}.`)
  refuseUnknown(options, ['runAt', 'priority', 'queue', 'metadata'], `step "${name}"`)
  return after
}

function inStep(name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof EvertickError)) throw error
    const { code, message, field, next, cause } = error
    throw new EvertickError(code, `Step "${name}": ${message}`, {
      field: `steps.${name}${field === undefined ? '' : `.${field}`}`,
      ...(next === undefined ? {} : { next }),
      cause,
    })
  }
}

function refused(field: string, message: string): EvertickError {
  return new EvertickError('invalid_option', message, { field })
}
