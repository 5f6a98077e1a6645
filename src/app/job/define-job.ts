/** `defineJob`: one value that producer, worker and schedule share, typed by any Standard Schema. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { EvertickError } from '../../core/error.ts'
import { isJobName } from '../../core/job/job-name.ts'
import type { JobOptions } from '../../core/job/options.ts'
import type { Handler, JobContext } from '../../engine/worker/handler.ts'
import { jobSpec } from './job-options.ts'

export type Run<Input> = (context: JobContext<Input>) => unknown

/** A job as code knows it. `Given` is what a producer passes, `Input` what the handler gets. */
export interface DefinedJob<Given = unknown, Input = Given> {
  readonly name: string
  readonly options: JobOptions
  readonly schema: StandardSchemaV1<Given, Input> | null
  readonly run: Run<Input> | null
  /** The same job with its handler: for producers that must not import the handler's world. */
  handle(run: Run<Input>): DefinedJob<Given, Input>
}

export interface JobDefinition<Given, Input> extends JobOptions {
  readonly name: string
  /** Any Standard Schema: checked at enqueue and before the run. */
  readonly input?: StandardSchemaV1<Given, Input>
  readonly run?: Run<Input>
}

export function defineJob<Given = unknown, Input = Given>(
  definition: JobDefinition<Given, Input>,
): DefinedJob<Given, Input> {
  const { name, input, run, ...options } = definition
  refuseName(name)
  refuseRun(name, run)
  // A slip is told where it was made; the zone, the instant and the limit that count come with the database.
  const maxPayloadBytes = Number.POSITIVE_INFINITY
  jobSpec(options, { name, handler: name, timezone: 'UTC', createdAt: 0, maxPayloadBytes })
  const job = (handler: Run<Input> | null): DefinedJob<Given, Input> => ({
    name,
    options,
    schema: input ?? null,
    run: handler,
    handle: (given) => {
      refuseRun(name, given)
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
  job: Pick<DefinedJob, 'name' | 'schema'> & { readonly run: Run<never> | null },
): FunctionOnly | null {
  const { run } = job
  if (run === null) return null
  return { name: job.name, parse: (input) => parseInput(job, input), run: (context) => run(context) }
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
