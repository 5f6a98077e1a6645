/** `defineJob`: one value that producer, worker and schedule share, typed by any Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { EvertickError } from '../../core/error.ts'
import { isJobName } from '../../core/job/job-name.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import type { OutcomeSignal } from '../../engine/worker/outcome-signal.ts'
import type { Isolated, Isolation } from '../../isolate/isolation.ts'
import { type IsolateMode, isolateModes } from '../../isolate/transport.ts'
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
  /** Where its handler runs apart from the node; in place of `run`. */
  readonly isolated: Isolated | null
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
  /** A module that exports a function named `handler`, in place of `run`: `new URL('./report.ts', import.meta.url)`. Needs `isolate`. */
  readonly handler?: URL
  /** Runs `handler` apart from the node: in a thread, or in a process of its own. @default none: `run` runs in the node */
  readonly isolate?: IsolateMode
}

/** `const`, and by the schema alone: else `{ state: 'ok' }` in a handler would be any text, and widen what the schema says. */
export function defineJob<Given = unknown, Input = Given, const Returned = unknown>(
  definition: JobDefinition<Given, Input, Returned>,
): DefinedJob<Given, Input, Returned> {
  const { name, input, result, run, handler: module, isolate, ...options } = definition
  refuseName(name)
  refuseSchema(name, 'input', input)
  refuseSchema(name, 'result', result)
  refuseRun(name, run)
  const isolated = isolatedOf(name, { run, module, isolate })
  refuseQuota(name, options.quota, { run, isolate })
  // A slip is told where it was made; the zone, the instant and the limit that count come with the database.
  const maxPayloadBytes = Number.POSITIVE_INFINITY
  jobSpec(options, { name, handler: name, timezone: 'UTC', createdAt: 0, maxPayloadBytes })
  const job = (handler: Run<Input, Returned> | null): DefinedJob<Given, Input, Returned> => ({
    name,
    options,
    schema: input ?? null,
    resultSchema: result ?? null,
    run: handler,
    isolated,
    handle: (given) => {
      refuseRun(name, given)
      isolatedOf(name, { run: given, module, isolate })
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

/** Two options that mean something only together, and not beside `run`. */
function isolatedOf(
  name: string,
  { run, module, isolate }: { run: unknown; module: unknown; isolate: unknown },
): Isolated | null {
  if (module === undefined && isolate === undefined) return null
  const refuse = (field: string, what: string, next: string) =>
    new EvertickError('invalid_definition', `Job "${name}": ${what}`, { field, next })
  const mode = isolateModes.find((known) => known === isolate)
  if (isolate !== undefined && mode === undefined) {
    const given = JSON.stringify(isolate)
    throw refuse('isolate', `isolate is ${given}, not "thread" or "process".`, 'Use one of them.')
  }
  if (!(module instanceof URL) || module.protocol !== 'file:') {
    const what = module === undefined ? 'isolate has no handler.' : 'handler is not the URL of a file.'
    const next = "Give the module of its handler: handler: new URL('./report.ts', import.meta.url)."
    throw refuse('handler', what, next)
  }
  if (mode === undefined) {
    const next = "Say where it runs: isolate: 'thread', or isolate: 'process'."
    throw refuse('isolate', 'handler is a module, and isolate is not given.', next)
  }
  if (run !== undefined) throw refuse('run', 'it has both run and handler.', 'Leave one of them out.')
  return { module, mode }
}

/** A function shares process and thread with its node: what it uses alone, nobody can tell. */
function refuseQuota(
  name: string,
  quota: JobOptions['quota'],
  { run, isolate }: { run: unknown; isolate: IsolateMode | undefined },
): void {
  const refuse = (field: string, what: string, next: string) =>
    new EvertickError('invalid_definition', `Job "${name}": ${what}`, { field, next })
  if (quota === undefined) return
  if (run !== undefined) {
    const next = "Run it apart: handler: new URL('./report.ts', import.meta.url), isolate: 'process'."
    throw refuse('quota', 'a function that runs in the node has no quota.', next)
  }
  const alone = (['cpu', 'processes'] as const).find((part) => quota[part] !== undefined)
  if (isolate === 'thread' && alone !== undefined)
    throw refuse(`quota.${alone}`, `a thread has no quota of ${alone}.`, "Use isolate: 'process'.")
}

export function refuseName(name: unknown): asserts name is string {
  if (isJobName(name)) return
  throw new EvertickError('invalid_definition', `${JSON.stringify(name)} is not a valid job name.`, {
    field: 'name',
    next: 'Use letters, digits, and - _ . : / @ or spaces, at most 200, beginning with a letter or digit.',
  })
}

function runOf(
  { run, isolated }: Pick<DefinedJob, 'isolated'> & { readonly run: Run<never> | null },
  isolation: Pick<Isolation, 'run'>,
): Handler['run'] | null {
  if (isolated !== null) return (context, spec, attempt) => isolation.run(isolated, context, spec, attempt)
  return run === null ? null : (context) => run(context)
}

/** The handler of a job that has one. */
export function handlerOf(
  job: Pick<DefinedJob, 'name' | 'schema' | 'resultSchema' | 'isolated'> & {
    readonly run: Run<never> | null
  },
  isolation: Pick<Isolation, 'run'>,
): Handler | null {
  const { name, resultSchema } = job
  const run = runOf(job, isolation)
  if (run === null) return null
  return {
    name,
    parse: (input) => parseInput(job, input),
    run: resultSchema === null ? run : withResult(resultSchema, run),
  }
}
