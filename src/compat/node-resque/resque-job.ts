/** A job of Evertick's whose ticks go into the user's own node-resque queue, each exactly once. */
import { refuseBadName } from '../../app/config/call-options.ts'
import { type DefinedJob, defineJob } from '../../app/job/define-job.ts'
import { EvertickError } from '../../core/error.ts'
import type { JobOptions } from '../../core/job/options.ts'
import { parseDuration } from '../../core/schedule/duration.ts'
import type { Duration } from '../../core/schedule/schedule.ts'
import type { JobContext } from '../../engine/worker/handler.ts'
import { pushOnce, type ResqueConnection } from './push-once.ts'

/** The job's own options, but `queue`: here that is the queue of node-resque. */
export interface ResqueJobOptions extends Omit<JobOptions, 'queue'> {
  readonly name: string
  /** `queue.connection` of your node-resque `Queue`; connected before the node starts. */
  readonly connection: ResqueConnection
  /** The queue of node-resque. */
  readonly queue: string
  /** The name under which the workers know the job. */
  readonly func: string
  /** The arguments, or what gives them for a tick. @default [] */
  readonly args?:
    | readonly unknown[]
    | ((context: JobContext) => readonly unknown[] | Promise<readonly unknown[]>)
  /** How long Redis remembers that a tick was enqueued: longer than its last retry can be away. @default '7d' */
  readonly dedupeTtl?: Duration
}

export interface ResqueJobResult {
  readonly queue: string
  readonly func: string
  /** False where an attempt before this one had pushed it. */
  readonly pushed: boolean
}

export function resqueJob(options: ResqueJobOptions): DefinedJob {
  const { connection, queue, func, args = [], dedupeTtl = '7d', ...definition } = options
  refuseBadName(queue, 'queue')
  refuseBadName(func, 'func')
  parseDuration(dedupeTtl, 'dedupeTtl')
  if (typeof (connection as Partial<ResqueConnection> | undefined)?.key !== 'function') {
    throw new EvertickError('invalid_definition', `The job "${options.name}" has no connection.`, {
      field: 'connection',
      next: 'Pass the connection of your node-resque Queue: queue.connection.',
    })
  }
  return defineJob({
    ...definition,
    async run(context): Promise<ResqueJobResult> {
      const given = typeof args === 'function' ? await args(context) : args
      const key = context.idempotencyKey
      return { queue, func, pushed: await pushOnce(connection, { queue, func, args: given, key, dedupeTtl }) }
    },
  })
}
