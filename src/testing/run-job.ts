/** Runs one handler with no database: for the unit tests of a job. */
import type { DefinedJob, Run } from '../app/job/define-job.ts'
import { parseInput, withResult } from '../app/job/schema-check.ts'
import { secretMissing } from '../app/vault/open-secrets.ts'
import type { HandlerOutcome } from '../core/attempt/outcome.ts'
import { EvertickError } from '../core/error.ts'
import type { StepKind } from '../core/execution/step.ts'
import { parseInstant } from '../core/schedule/instant.ts'
import type { Instant } from '../core/schedule/schedule.ts'
import { ownValue } from '../core/table-keys.ts'
import type {
  EnqueueOptions,
  ExecutionLog,
  JobContext,
  JobReference,
  StepCall,
  StepOptions,
} from '../engine/worker/handler.ts'
import { errorFrom, OutcomeSignal } from '../engine/worker/outcome-signal.ts'
import type { Transaction } from '../store/store.ts'
import { TestSteps } from './test-steps.ts'

const crash = Symbol('crash')

export interface RunJobOptions<Given> {
  readonly input?: Given
  /** @default 1970-01-01 */
  readonly scheduledFor?: Instant
  /** @default 1 */
  readonly attempt?: number
  readonly signal?: AbortSignal
  /** What `ctx.transaction` passes to its function; without it, a handler that uses one fails. */
  readonly tx?: Transaction
  /** What earlier attempts have done: the `steps` of their runs. */
  readonly steps?: JobRun['steps']
  /** What `ctx.waitFor` is answered, by name. One that has no answer times out. */
  readonly signals?: Readonly<Record<string, unknown>>
  /** What `ctx.secrets.get` gives, by name. */
  readonly secrets?: Readonly<Record<string, string>>
  /** Its process dies right after so many steps of this run are stored. */
  readonly crashAfter?: number
}

export interface JobRun {
  readonly outcome: HandlerOutcome['kind']
  readonly result: unknown
  readonly error: { readonly name: string; readonly message: string } | null
  readonly progress: readonly { readonly fraction: number; readonly note: string | null }[]
  readonly logs: readonly { readonly level: keyof ExecutionLog; readonly message: string }[]
  readonly enqueued: readonly {
    readonly job: string
    readonly input: unknown
    readonly options: EnqueueOptions
  }[]
  /** Steps, sleeps and waits that are done, by this run and those before it. */
  readonly steps: readonly TestStep[]
}

export interface TestStep {
  readonly name: string
  readonly kind: StepKind
  readonly result: unknown
}

export async function runJob<Given, Input>(
  job: DefinedJob<Given, Input>,
  options: RunJobOptions<Given> = {},
): Promise<JobRun> {
  if (job.run === null) {
    throw new EvertickError('invalid_definition', `Job "${job.name}" has no handler to run.`, {
      next:
        job.isolated === null
          ? 'Pass the job that .handle() returned.'
          : 'Import the handler of its module, and pass a job with that as run.',
    })
  }
  const given = job.run as Run<never>
  const run = job.resultSchema === null ? given : withResult(job.resultSchema, given)
  const kept = {
    progress: [] as { fraction: number; note: string | null }[],
    logs: [] as { level: keyof ExecutionLog; message: string }[],
    enqueued: [] as { job: string; input: unknown; options: EnqueueOptions }[],
  }
  const memory = new TestSteps(options)
  const ended = (outcome: JobRun['outcome'], result: unknown, error: JobRun['error']) => ({
    outcome,
    result,
    error,
    ...kept,
    steps: memory.steps,
  })
  try {
    const input = await parseInput(job, options.input)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its own schema has just parsed the input
    const context = contextOf(job.name, input, options, kept, memory) as JobContext<never>
    const crashed = memory.crashed.promise.then(() => crash)
    const returned: unknown = await Promise.race([run(context), crashed])
    if (returned === crash) return ended('crash', null, null)
    return returned instanceof OutcomeSignal
      ? ended(returned.outcome.kind, null, signalError(returned))
      : ended('done', returned, null)
  } catch (thrown) {
    if (thrown instanceof OutcomeSignal) return ended(thrown.outcome.kind, null, signalError(thrown))
    return ended('error', null, errorFrom(thrown))
  }
}

function signalError(signal: OutcomeSignal): JobRun['error'] {
  return 'error' in signal.outcome ? signal.outcome.error : null
}

function txOf({ tx }: { readonly tx?: Transaction }): Transaction {
  if (tx !== undefined) return tx
  throw new EvertickError('invalid_option', 'This handler uses a transaction, but runJob was given no tx.', {
    field: 'tx',
    next: 'Pass { tx } with a fake or real one, or test it on openTestNode().',
  })
}

function contextOf<Given>(
  job: string,
  input: unknown,
  options: RunJobOptions<Given>,
  kept: {
    progress: { fraction: number; note: string | null }[]
    logs: { level: keyof ExecutionLog; message: string }[]
    enqueued: { job: string; input: unknown; options: EnqueueOptions }[]
  },
  memory: TestSteps,
): JobContext {
  const log = (level: keyof ExecutionLog) => (message: string) => void kept.logs.push({ level, message })
  const scheduledFor = new Date(
    options.scheduledFor === undefined ? 0 : parseInstant(options.scheduledFor, 'scheduledFor'),
  )
  return {
    input,
    scheduledFor,
    lateness: 0,
    cause: 'manual',
    caughtUp: null,
    attempt: options.attempt ?? 1,
    idempotencyKey: `${job}:${scheduledFor.toISOString()}`,
    executionId: 'test-execution',
    job,
    metadata: {},
    signal: options.signal ?? new AbortController().signal,
    log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') },
    progress: async (fraction, note) => void kept.progress.push({ fraction, note: note ?? null }),
    transaction: async (fn) => await fn(txOf(options)),
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what its function returned, by way of JSON
    step: (async (name: string, work: (given: unknown) => unknown, stepOptions?: StepOptions) =>
      await memory.step(name, () =>
        work(
          stepOptions?.transaction === true
            ? txOf(options)
            : { signal: new AbortController().signal, attempt: 1 },
        ),
      )) as StepCall,
    sleep: (name) => memory.sleep(name),
    waitFor: (name) => memory.waitFor(name),
    definition: async () => ({ began: 1, revision: 1 }),
    secrets: {
      get: async (name) => {
        const value = ownValue(options.secrets ?? {}, name)
        if (value === undefined) throw secretMissing(name, 'Pass it to runJob: { secrets: { … } }.')
        return value
      },
    },
    enqueue: async (reference: JobReference, given?: unknown, enqueueOptions: EnqueueOptions = {}) => {
      const name = typeof reference === 'string' ? reference : reference.name
      kept.enqueued.push({ job: name, input: given, options: enqueueOptions })
      return { id: `test-execution-${kept.enqueued.length}`, created: true }
    },
  }
}
