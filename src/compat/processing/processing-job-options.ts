/** Which database, and which queue of it: for the repository, the service and the worker alike. */
import { refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import { processingDatabaseFromEnvironment } from '../../app/config/environment.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { EvertickError } from '../../core/error.ts'
import { Evertick } from '../../evertick.ts'
import { OwnNode } from '../own-node.ts'
import { defaultQueue } from './processing-queue.ts'

export interface ProcessingJobOptions extends Pick<EvertickOptions, 'clock' | 'logger'> {
  /** As for `Evertick.open`. @default MYSQL_DB_HOST, …_USER, …_PASSWORD, …_NAME, …_PORT, else EVERTICK_DATABASE_URL */
  readonly database?: string
  /** A node that is there already, instead of a database. */
  readonly evertick?: Evertick
  /** @default 'processing' */
  readonly queue?: string
}

const optionNames = ['database', 'evertick', 'queue', 'clock', 'logger']

export function parseJobOptions(
  options: ProcessingJobOptions,
  call: string,
): { readonly queue: string; readonly node: OwnNode } {
  refuseUnknown(options, optionNames, call)
  return { queue: parseQueue(options.queue), node: nodeOf(options) }
}

export function parseQueue(queue = defaultQueue): string {
  // With `processing:` before it, it is the name of a job.
  refuseBadName(queue, 'queue', 150)
  return queue
}

/** `more` are options of the node that the facade brings along; one that is given has its own. */
export function nodeOf(options: ProcessingJobOptions, more: () => EvertickOptions = () => ({})): OwnNode {
  const { evertick, database, clock, logger } = options
  if (evertick !== undefined) {
    refuseBeside(evertick, { database, clock, logger })
    return new OwnNode(evertick)
  }
  const own = { ...(clock === undefined ? {} : { clock }), ...(logger === undefined ? {} : { logger }) }
  return new OwnNode(() => ({
    ...more(),
    ...own,
    database: database ?? processingDatabaseFromEnvironment(),
  }))
}

/** No option is accepted and then ignored: a node that was given has its own. */
export function refuseBeside(evertick: unknown, beside: Readonly<Record<string, unknown>>): void {
  if (!(evertick instanceof Evertick)) {
    throw new EvertickError('invalid_option', 'evertick is not an Evertick.', {
      field: 'evertick',
      next: 'Pass what Evertick.open() has returned.',
    })
  }
  const field = Object.keys(beside).find((name) => beside[name] !== undefined)
  if (field === undefined) return
  throw new EvertickError('invalid_option', `${field} cannot be combined with evertick.`, {
    field,
    next: 'Give it to Evertick.open(), or leave evertick out.',
  })
}
