/** What a quota says to what was used, and where nobody could keep it. */
import { bytesText, roundBytes } from '../core/bytes.ts'
import { EvertickError } from '../core/error.ts'
import type { QuotaSpec } from '../core/job/options.ts'
import { formatDuration } from '../core/schedule/duration.ts'
import { type GroupUsage, hasGroupUsage } from './group-usage.ts'

/** Of which part more was used than it allows, as an error; null: of none. */
export function overQuota(
  { cpuMs, memory, processes }: QuotaSpec,
  used: Pick<GroupUsage, 'cpuMs' | 'memory' | 'processes'>,
): EvertickError | null {
  if (cpuMs !== null && used.cpuMs > cpuMs)
    return quotaExceeded('cpu', formatDuration(cpuMs), formatDuration(used.cpuMs))
  if (memory !== null && used.memory > memory)
    return quotaExceeded('memory', bytesText(memory), roundBytes(used.memory))
  if (processes !== null && used.processes > processes)
    return quotaExceeded('processes', String(processes), String(used.processes))
  return null
}

export function overOutput({ output }: QuotaSpec, bytes: number): EvertickError | null {
  if (output === null || bytes <= output) return null
  return quotaExceeded('output', bytesText(output), roundBytes(bytes))
}

function quotaExceeded(name: string, limit: string | number, used: string): EvertickError {
  const what = `It used more than its quota.${name}: ${used} of ${limit}. Make it use less, or raise the quota.`
  return new EvertickError('quota_exceeded', what, { field: `quota.${name}` })
}

/** A limit that nobody keeps is worse than none. */
export function refuseUnwatched({ cpuMs, memory, processes }: QuotaSpec): void {
  if (hasGroupUsage || (cpuMs === null && memory === null && processes === null)) return
  throw new EvertickError(
    'execution_failed',
    'A quota of cpu, memory or processes is watched on Linux only.',
    {
      field: 'quota',
      next: 'Run this job on workers with Linux, or leave out all of its quota but output.',
    },
  )
}
