/** `defineJob`: one value that producer, worker and schedule share, typed by any Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { EvertickError } from '../../core/error.ts'
import { isJobName } from '../../core/job/job-name.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import type { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import { jobSpec } from './job-options.ts'
import { parseInput, withResult } from './schema-check.ts'

/** A handler returns its result, or how else it ended. */
export type Run<Input, Returned = unknown> = (
  context: JobContext<Input>,
) => End<Returned> | PromiseLike<End<Returned>>

type End<Returned> = Returned | Frozen<Returned> | OutcomeSignal

/** A schema only reads: constants do, too. */
type Frozen<T> = T extends (...args: never) => unknown ? T : { readonly [K in keyof T]: Frozen<T[K]> }

/** A job as code knows it. `Given` is what a producer passes, `Input` what the handler gets, `Returned` what it returns. */
export interface DefinedJob<Given = unknown, Input = Given, Returned = unknown> {
  readonly name: string
  readonly options: JobOptions
  readonly schema: StandardSchemaV1<Given, Input> | null
  readonly resultSchema: StandardSchemaV1<Returned, unknown> | null
  readonly run: Run<Input, Returned> | null
  /** The same job with its handler: for producers that must not import the handler's world. */
  handle(run: Run<Input, Returned>): DefinedJob<Given, Input, Returned>
}

export interface JobDefinition<Given, Input, Returned = unknown> extends JobOptions {
  readonly name: string
  /** Any Standard Schema: checked at enqueue and before the run. */
  readonly input?: StandardSchemaV1<Given, Input>
  /** Any Standard Schema: checked before the execution ends, or `ctx.transaction` commits. What it gives out is stored. */
  readonly result?: StandardSchemaV1<Returned, unknown>
  readonly run?: Run<Input, NoInfer<Returned>>
}

/** `const`, and by the schema alone: else `{ state: 'ok' }` in a handler would be any text, and widen what the schema says. */
export function defineJob<Given = unknown, Input = Given, const Returned = unknown>(
  definition: JobDefinition<Given, Input, Returned>,
): DefinedJob<Given, Input, Returned> {
  const { name, input, result, run, ...options } = definition
  refuseName(name)
  refuseSchema(name, 'input', input)
  refuseSchema(name, 'result', result)
  refuseRun(name, run)
  // A slip is told where it was made; the zone, the instant and the limit that count come with the database.
  const maxPayloadBytes = Number.POSITIVE_INFINITY
  jobSpec(options, { name, handler: name, timezone: 'UTC', createdAt: 0, maxPayloadBytes })
  const job = (handler: Run<Input, Returned> | null): DefinedJob<Given, Input, Returned> => ({
    name,
    options,
    schema: input ?? null,
    resultSchema: result ?? null,
    run: handler,
    handle: (given) => {
      refuseRun(name, given)
      return job(given)
    },
  })
  return job(run ?? null)
}

/** Else its first use would fail: of a result, after the work. */
function refuseSchema(name: string, field: 'input' | 'result', schema: StandardSchemaV1 | undefined): void {
  const standard: Partial<StandardSchemaV1.Props> | undefined = schema?.['~standard']
  if (schema === undefined || typeof standard?.validate === 'function') return
  throw new EvertickError('invalid_definition', `Job "${name}": ${field} is not a Standard Schema.`, {
    field,
    next: 'Give it a schema of zod (3.24 or later), valibot, arktype or another such library.',
  })
}

function refuseRun(name: string, run: unknown): void {
  if (run === undefined || typeof run === 'function') return
  throw new EvertickError(
    'invalid_definition',
    `Job "${name}": run is ${JSON.stringify(run)}, not a function.`,
    {
      field: 'run',
      next: 'Give it a function: run: async (ctx) => { … }.',
    },
  )
}

export function refuseName(name: unknown): asserts name is string {
  if (isJobName(name)) return
  throw new EvertickError('invalid_definition', `${JSON.stringify(name)} is not a valid job name.`, {
    field: 'name',
    next: 'Use letters, digits, and - _ . : / @ or spaces, at most 200, beginning with a letter or digit.',
  })
}

/** A function needs no more than its context. */
interface FunctionOnly extends Handler {
  readonly run: (context: JobContext<never>) => unknown
}

/** The handler of a job that has one. */
export function handlerOf(
  job: Pick<DefinedJob, 'name' | 'schema' | 'resultSchema'> & { readonly run: Run<never> | null },
): FunctionOnly | null {
  const { run, resultSchema } = job
  if (run === null) return null
  return {
    name: job.name,
    parse: (input) => parseInput(job, input),
    run: resultSchema === null ? (context) => run(context) : withResult(resultSchema, run),
  }
}
