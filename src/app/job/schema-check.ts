/** What a job's schemas make of its input and of its result; or an error that names the field. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { cutText } from '../../core/cut-text.ts'
import { EvertickError } from '../../core/error.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { OutcomeSignal, printable } from '../../engine/worker/outcome-signal.ts'
import type { Transaction } from '../../store/store.ts'

/** Characters of a value in an error: enough to know it again. */
const mostFound = 200

/** The input as the handler takes it, or a promise of it. A tick brings none: where the schema takes `{}` for that, its defaults apply. */
export function parseInput(
  job: { readonly name: string; readonly schema: StandardSchemaV1 | null },
  input: unknown,
): unknown {
  return job.schema === null ? input : checkedInput(job.name, job.schema, input)
}

async function checkedInput(job: string, schema: StandardSchemaV1, input: unknown): Promise<unknown> {
  const given = input ?? undefined
  const result = await schema['~standard'].validate(given)
  if (result.issues === undefined) return result.value
  if (given === undefined) {
    const empty = await schema['~standard'].validate({})
    if (empty.issues === undefined) return empty.value
  }
  const { path, message } = firstOf(result.issues)
  throw new EvertickError('invalid_input', `The input of job "${job}" is not valid: ${message}`, {
    field: ['input', ...path].map(String).join('.'),
    next: 'Pass an input that the job’s schema takes.',
  })
}

/**
 * A handler whose result is what its schema makes of it. What does not fit is thrown, and so tried again: unlike an input,
 * it is most often the passing answer of another system. Of a transaction it is known before the commit, so that its writes
 * go back with it.
 */
export function withResult<Rest extends unknown[]>(
  schema: StandardSchemaV1,
  run: (context: JobContext<never>, ...rest: Rest) => unknown,
): (context: JobContext<never>, ...rest: Rest) => Promise<unknown> {
  return async (context, ...rest) => {
    const committed: { result?: unknown } = {}
    const transaction = async <T>(fn: (tx: Transaction) => Promise<T>): Promise<T> => {
      let returned: T | undefined
      committed.result = await context.transaction(async (tx) => {
        returned = await fn(tx)
        return await checkedResult(context.job, schema, returned)
      })
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what has committed has returned
      return returned as T
    }
    const returned = await run({ ...context, transaction }, ...rest)
    if ('result' in committed) return committed.result
    return returned instanceof OutcomeSignal ? returned : await checkedResult(context.job, schema, returned)
  }
}

async function checkedResult(job: string, schema: StandardSchemaV1, returned: unknown): Promise<unknown> {
  const result = await schema['~standard'].validate(returned)
  if (result.issues === undefined) return result.value
  const { path, message } = firstOf(result.issues)
  // What is not there is said so by every schema; what is there, by few.
  const found = valueAt(returned, path)
  const was = found === undefined ? '' : ` (it was ${cutText(printable(found), mostFound)})`
  throw new EvertickError('invalid_result', `The result of job "${job}" is not valid: ${message}${was}`, {
    field: ['result', ...path].map(String).join('.'),
    next: 'Return what the job’s schema takes, or throw where the work was not done.',
  })
}

function firstOf(issues: readonly StandardSchemaV1.Issue[]): { path: PropertyKey[]; message: string } {
  const [issue] = issues
  const path = (issue?.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  const field = path.map(String).join('.')
  return { path, message: `${field === '' ? '' : `${field}: `}${issue?.message}` }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value
  for (const key of path) {
    found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  }
  return found
}
