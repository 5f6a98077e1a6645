/** The options of a `ProcessingWorker`, checked once, as a node of the engine takes them. */
import { hostname } from 'node:os'
import { systemClock } from '../../app/cluster/system-clock.ts'
import { refuseBadName, refuseUnknown } from '../../app/config/call-options.ts'
import type { EvertickOptions } from '../../app/config/options.ts'
import { EvertickError } from '../../core/error.ts'
import type { Clock } from '../../engine/clock.ts'
import type { OwnNode } from '../own-node.ts'
import { parseSeconds, wholeNumber } from './lease-options.ts'
import type { ActiveProcessingJob } from './processing-job.ts'
import { nodeOf, type ProcessingJobOptions, parseQueue, refuseBeside } from './processing-job-options.ts'

export interface ProcessingWorkerOptions<Payload = unknown> extends ProcessingJobOptions {
  /** Its name in `locked_by`. No two workers may share it. @default host, process id and start time */
  readonly workerId?: string
  /** A worker that is silent for this long has lost its jobs. @default 300 */
  readonly leaseDurationSeconds?: number
  /** How often it looks for jobs of which nothing has told it; a failed job is tried again after this long. @default 5000 */
  readonly pollIntervalMs?: number
  /** @default 1 */
  readonly maxConcurrentJobs?: number
  /** 5 to 95: leases are extended when this part of them has passed. @default 50 */
  readonly leaseExtensionThresholdPercent?: number
  /** Whether SIGTERM and SIGINT stop it gracefully while it runs. @default true */
  readonly signals?: boolean
  /** What it does, where no subclass says so. */
  readonly processJob?: (job: ActiveProcessingJob<Payload>) => unknown
}

export interface WorkerSettings {
  readonly leaseMs: number
  readonly pollIntervalMs: number
  readonly maxConcurrentJobs: number
  readonly leaseExtensionThresholdPercent: number
  readonly queue: string
  readonly signals: boolean
}

const optionNames = [
  'database',
  'evertick',
  'queue',
  'clock',
  'logger',
  'workerId',
  'leaseDurationSeconds',
  'pollIntervalMs',
  'maxConcurrentJobs',
  'leaseExtensionThresholdPercent',
  'signals',
  'processJob',
]

export function parseWorkerOptions(options: ProcessingWorkerOptions<never>): WorkerSettings {
  refuseUnknown(options, optionNames, 'ProcessingWorker')
  const { evertick, queue, signals, processJob: _, ...own } = options
  if (evertick !== undefined) refuseBeside(evertick, own)
  const { workerId, leaseDurationSeconds, maxConcurrentJobs, leaseExtensionThresholdPercent } = own
  if (workerId !== undefined) refuseBadName(workerId, 'workerId')
  return {
    leaseMs: parseLease(leaseDurationSeconds ?? 300),
    pollIntervalMs: wholeNumber(own.pollIntervalMs ?? 5_000, 'pollIntervalMs', 10, 86_400_000),
    maxConcurrentJobs: wholeNumber(maxConcurrentJobs ?? 1, 'maxConcurrentJobs', 1, 10_000),
    leaseExtensionThresholdPercent: wholeNumber(
      leaseExtensionThresholdPercent ?? 50,
      'leaseExtensionThresholdPercent',
      5,
      95,
    ),
    queue: parseQueue(queue),
    signals: signals ?? true,
  }
}

/** A lease of less than a second would leave no time to renew it. */
function parseLease(seconds: number): number {
  const field = 'leaseDurationSeconds'
  const leaseMs = parseSeconds(seconds, field)
  if (leaseMs >= 1_000) return leaseMs
  throw new EvertickError('invalid_option', `${field} is ${seconds}.`, {
    field,
    next: 'It must be at least 1.',
  })
}

/** A worker that also leads where nobody does: so that the leases of others are taken back when they have ended. */
export function workerNode(
  options: ProcessingWorkerOptions<never>,
  settings: WorkerSettings,
  nodeId: () => string,
): OwnNode {
  const { queue, maxConcurrentJobs: concurrency } = settings
  const more = (): EvertickOptions => ({
    nodeId: nodeId(),
    queues: { [queue]: { concurrency } },
    worker: {
      lease: settings.leaseMs,
      extendAt: settings.leaseExtensionThresholdPercent / 100,
      poll: settings.pollIntervalMs,
    },
  })
  return nodeOf(options, more)
}

/** Unique over hosts, processes and restarts. */
export function defaultWorkerId(clock: Clock = systemClock): string {
  return `${hostname().slice(0, 150)}-${process.pid}-${clock.now()}`
}
