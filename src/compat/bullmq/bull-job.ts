/**
 * A job of Evertick's whose ticks go into the user's own BullMQ queue, each exactly once: the job's id is made from the
 * tick, and BullMQ itself refuses an id that it has. Since finished jobs may be removed, its deduplication remembers the
 * id as well; both are written by the script that adds the job.
 */
import type { JobsOptions } from 'bullmq'
import { type DefinedJob, defineJob } from '../../app/job/define-job.ts'
import { EvertickError } from '../../core/error.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { JobContext } from '../../engine/worker/handler.ts'

/** What is needed of a BullMQ `Queue`. */
export interface BullQueue {
  readonly name: string
  add(name: string, data: unknown, options: JobsOptions): Promise<{ readonly id?: string | undefined }>
}

/** The job's own options, but `queue`: here that is the queue of BullMQ. */
export interface BullJobOptions extends Omit<JobOptions, 'queue'> {
  readonly name: string
  /** Your BullMQ `Queue`. */
  readonly queue: BullQueue
  /** The name of the job in BullMQ. @default the job's name */
  readonly jobName?: string
  /** The data, or a function that gives it for a tick. @default {} */
  readonly data?: object | string | number | boolean | null | ((context: JobContext) => unknown)
  /** Passed on to BullMQ; the id and the deduplication are made from the tick. @default {} */
  readonly jobOptions?: Omit<JobsOptions, 'jobId' | 'deduplication' | 'parent' | 'repeat'>
  /** How long BullMQ remembers that a tick was enqueued, also where the finished job is removed. @default '7d' */
  readonly dedupeTtl?: Duration
}

export interface BullJobResult {
  readonly queue: string
  /** The id of the job in BullMQ: the same for every attempt of a tick. */
  readonly jobId: string
}

/** Options that would break "each tick once", or that it would override. */
const refusedOptions = ['jobId', 'deduplication', 'parent', 'repeat']

export function bullJob(options: BullJobOptions): DefinedJob {
  const {
    queue,
    jobName = options.name,
    data = {},
    jobOptions = {},
    dedupeTtl = '7d',
    ...definition
  } = options
  const ttl = parseDuration(dedupeTtl, 'dedupeTtl')
  if (ttl < 1) throw invalid('dedupeTtl', 'dedupeTtl must be at least 1ms.')
  if (typeof (queue as Partial<BullQueue> | undefined)?.add !== 'function') {
    throw invalid('queue', `The job "${options.name}" has no queue.`, 'Pass your BullMQ Queue.')
  }
  for (const name of refusedOptions) {
    if (!(name in jobOptions)) continue
    throw invalid(`jobOptions.${name}`, `jobOptions.${name} is not supported here.`, 'Leave it out.')
  }
  return defineJob({
    ...definition,
    async run(context): Promise<BullJobResult> {
      const given: unknown = isFunction(data) ? await data(context) : data
      const id = bullJobId(context.idempotencyKey)
      await queue.add(jobName, given, { ...jobOptions, jobId: id, deduplication: { id, ttl } })
      return { queue: queue.name, jobId: id }
    },
  })
}

/** BullMQ refuses a colon in an id. What is left tells as many ticks apart: an id and an instant, both of fixed form. */
function bullJobId(idempotencyKey: string): string {
  return `evertick-${idempotencyKey.replaceAll(':', '-')}`
}

function isFunction(data: unknown): data is (context: JobContext) => unknown {
  return typeof data === 'function'
}

function invalid(field: string, message: string, next?: string): EvertickError {
  return new EvertickError('invalid_definition', message, { field, ...(next === undefined ? {} : { next }) })
}
