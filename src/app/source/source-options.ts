/** A source as its user writes it: where to ask, how an entry of the answer becomes a job, and what all of its jobs have. */
import { EvertickError } from '../../core/error.ts'
import { jobOptions } from '../../core/job/fields.ts'
import {
  type Address,
  type HandlerSpec,
  type Secretive,
  type SecretReference,
  type SourceHandler,
  secretsNamedIn,
} from '../../core/job/handler.ts'
import { storable, usualPayloadBytes } from '../../core/payload.ts'
import { didYouMean } from '../../core/schedule/did-you-mean.ts'

/** Jobs from the answer of a URL. The job that has this handler syncs them whenever it runs. */
export interface SourceHandlerOptions {
  readonly type: 'source'
  readonly url: string | SecretReference
  /** `{ secret: name }` reads the vault; other values of names such as Authorization are sealed. @default none */
  readonly headers?: Readonly<Record<string, string | SecretReference>>
  /** Where the list is in the answer, as `data.schedules`. @default the answer itself, or its schedules, items, data or results */
  readonly items?: string
  /** Fields of a job by paths in an entry, as `{ name: 'id', 'schedule.cron': 'cron_expression' }`. @default name, schedule, input and enabled, by their own names */
  readonly mapping?: Readonly<Record<string, string>>
  /** What each of its jobs has, unless its entry says otherwise: a handler, retries, tags. */
  readonly job?: Readonly<Record<string, unknown>>
  /** Goes before the names of its jobs. @default '' */
  readonly prefix?: string
  /** More jobs never go at once. @default half of those known */
  readonly maxRemovals?: number
}

const usualMapping = { name: 'name', schedule: 'schedule', input: 'input', enabled: 'enabled' }
const mostMapped = 50

const ofJob = ['schedule', 'handler', 'input', ...jobOptions.map(([name]) => name)]
/** `enabled` is the other side of `paused`, and what most APIs have. */
const mapped = ['name', 'enabled', ...ofJob]

/** As it was checked: what is not given may be undefined. */
type Given = {
  readonly [Name in Exclude<keyof SourceHandlerOptions, 'type' | 'headers'>]:
    | SourceHandlerOptions[Name]
    | undefined
} & { readonly url: Address }

/** `check` refuses a handler that its jobs could not have. */
export function sourceSpec(
  {
    url,
    items,
    mapping = usualMapping,
    job = {},
    prefix = '',
    maxRemovals,
  }: Partial<Given> & Pick<Given, 'url'>,
  headers: Secretive,
  check: (handler: unknown) => HandlerSpec,
): SourceHandler {
  const fields = Object.keys(mapping)
  if (!fields.includes('name'))
    throw invalid(
      'mapping',
      'The mapping of a source has no name.',
      "Say which field of an entry it is: name: 'id'.",
    )
  if (fields.length > mostMapped)
    throw invalid('mapping', `The mapping of a source has more than ${mostMapped} fields.`)
  for (const field of fields) refuseUnknownField(field.split('.')[0] ?? '', mapped, `mapping.${field}`)
  for (const field of Object.keys(job)) refuseUnknownField(field, ofJob, `job.${field}`)
  const names = mapsHandler(mapping)
  if (job['handler'] === undefined && !names) {
    throw invalid(
      'job',
      'The jobs of a source have no handler.',
      "Say what they run: job: { handler: 'scan' }.",
    )
  }
  if (names && secretsNamedIn(job['handler']).length > 0) {
    throw invalid(
      'job.handler',
      'The handler names a secret, and the list from outside would say where it goes.',
      'Map no part of the handler, or leave the secret out.',
    )
  }
  if (job['handler'] !== undefined && !names && check(job['handler']).type === 'source')
    throw invalid('job.handler', 'A source cannot make sources.')
  return {
    type: 'source',
    url,
    headers,
    items: items ?? null,
    mapping,
    job: storable(job, 'handler.job', usualPayloadBytes),
    prefix,
    maxRemovals: maxRemovals ?? null,
  }
}

/** Whether a list from outside says, in whole or in part, what its jobs run. */
export function mapsHandler(mapping: SourceHandler['mapping']): boolean {
  return Object.keys(mapping).some((field) => field.split('.')[0] === 'handler')
}

function refuseUnknownField(name: string, known: readonly string[], field: string): void {
  if (known.includes(name)) return
  const near = didYouMean(name, known)
  const next = near === undefined ? `Known fields: ${known.join(', ')}.` : `Did you mean "${near}"?`
  throw invalid(field, `A job has no field "${name}".`, next)
}

function invalid(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_definition', message, {
    field: `handler.${field}`,
    ...(next === undefined ? {} : { next }),
  })
}
