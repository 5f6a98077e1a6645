/** `filter=state:paused tag:billing nightly`, as the use cases take it: what may be named is a list, what it may be is a schema. */
import { z } from 'zod'
import { checked } from '../app/checked.ts'
import { parseSearch } from '../app/search-terms.ts'
import { executionStates } from '../core/execution/execution-state.ts'
import { jobStates } from '../core/job/job-state.ts'

export const filterText = z.string().max(500).optional()

const jobFilter = z.strictObject({
  state: z.enum(jobStates).optional(),
  tag: z.string().min(1).max(100).optional(),
  search: z.string().max(200).optional(),
})

const executionFilter = z.strictObject({
  job: z.string().min(1).max(200).optional(),
  state: z.enum(executionStates).optional(),
  queue: z.string().min(1).max(200).optional(),
})

type Given<Schema extends z.ZodObject> = {
  [Key in keyof z.output<Schema>]: Exclude<z.output<Schema>[Key], undefined>
}

/** Plain words are looked for in the names of jobs. */
export function jobsBy(text: string | undefined): Given<typeof jobFilter> {
  const { named, words } = parseSearch(text ?? '', ['state', 'tag'])
  return read(jobFilter, { ...Object.fromEntries(named), ...(words === '' ? {} : { search: words }) })
}

/** Plain words are a job's id or name. */
export function executionsBy(text: string | undefined): Given<typeof executionFilter> {
  const { named, words } = parseSearch(text ?? '', ['job', 'state', 'queue'])
  return read(executionFilter, { ...(words === '' ? {} : { job: words }), ...Object.fromEntries(named) })
}

function read<Schema extends z.ZodObject>(schema: Schema, value: object): Given<Schema> {
  const known = Object.keys(schema.shape)
  return checked(schema, value, 'invalid_option', 'The filter', known) as Given<Schema>
}
