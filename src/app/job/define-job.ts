/** `defineJob`: one value that producer, worker and schedule share, typed by any Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { EvertickError } from '../../core/error.ts'
import { isJobName } from '../../core/job/job-name.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import type { Isolated, Isolation } from '../../isolate/isolation.ts'
import { type IsolateMode, isolateModes } from '../../isolate/transport.ts'
import { jobSpec } from './job-options.ts'

export type Run<Input> = (context: JobContext<Input>) => unknown

/** A job as code knows it. `Given` is what a producer passes, `Input` what the handler gets. */
export interface DefinedJob<Given = unknown, Input = Given> {
  readonly name: string
  readonly options: JobOptions
  readonly schema: StandardSchemaV1<Given, Input> | null
  readonly run: Run<Input> | null
  /** Where its handler runs apart from the node; in place of `run`. */
  readonly isolated: Isolated | null
  /** The same job with its handler: for producers that must not import the handler's world. */
  handle(run: Run<Input>): DefinedJob<Given, Input>
}

export interface JobDefinition<Given, Input> extends JobOptions {
  readonly name: string
  /** Any Standard Schema: checked at enqueue and before the run. */
  readonly input?: StandardSchemaV1<Given, Input>
  readonly run?: Run<Input>
  /** A module that exports a function named `handler`, in place of `run`: `new URL('./report.ts', import.meta.url)`. Needs `isolate`. */
  readonly handler?: URL
  /** Runs `handler` apart from the node: in a thread, or in a process of its own. @default none: `run` runs in the node */
  readonly isolate?: IsolateMode
}

export function defineJob<Given = unknown, Input = Given>(
  definition: JobDefinition<Given, Input>,
): DefinedJob<Given, Input> {
  const { name, input, run, handler: module, isolate, ...options } = definition
  refuseName(name)
  refuseRun(name, run)
  const isolated = isolatedOf(name, { run, module, isolate })
  refuseQuota(name, options.quota, { run, isolate })
  // A slip is told where it was made; the zone, the instant and the limit that count come with the database.
  const maxPayloadBytes = Number.POSITIVE_INFINITY
  jobSpec(options, { name, handler: name, timezone: 'UTC', createdAt: 0, maxPayloadBytes })
  const job = (handler: Run<Input> | null): DefinedJob<Given, Input> => ({
    name,
    options,
    schema: input ?? null,
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

/** The handler of a job that has one. */
export function handlerOf(
  job: Pick<DefinedJob, 'name' | 'schema' | 'isolated'> & { readonly run: Run<never> | null },
  isolation: Pick<Isolation, 'run'>,
): Handler | null {
  const { name, run, isolated } = job
  const parse = (input: unknown) => parseInput(job, input)
  if (isolated !== null) {
    return { name, parse, run: (context, spec) => isolation.run(isolated, context, spec) }
  }
  return run === null ? null : { name, parse, run: (context) => run(context) }
}

/** The input as the handler takes it, or a promise of it. A tick brings none: where the schema takes `{}` for that, its defaults apply. */
export function parseInput(job: Pick<DefinedJob, 'name' | 'schema'>, input: unknown): unknown {
  return job.schema === null ? input : checked(job.name, job.schema, input)
}

async function checked(job: string, schema: StandardSchemaV1, input: unknown): Promise<unknown> {
  const given = input ?? undefined
  const result = await schema['~standard'].validate(given)
  if (result.issues === undefined) return result.value
  if (given === undefined) {
    const empty = await schema['~standard'].validate({})
    if (empty.issues === undefined) return empty.value
  }
  const [issue] = result.issues
  const path = (issue?.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  throw new EvertickError(
    'invalid_input',
    `The input of job "${job}" is not valid: ${path === '' ? '' : `${path}: `}${issue?.message}`,
    {
      field: path === '' ? 'input' : `input.${path}`,
      next: 'Pass an input that the job’s schema takes.',
    },
  )
}
