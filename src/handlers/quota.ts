/** Watches what an attempt uses, and says once when that is more than its quota. */
import { bytesText, roundBytes } from '../core/bytes.ts'
import { EvertickError } from '../core/error.ts'
import type { QuotaSpec } from '../core/job/options.ts'
import { formatDuration } from '../core/schedule/duration.ts'
import { type GroupUsage, groupUsages, hasGroupUsage } from './group-usage.ts'

/** How often all groups are looked at, where one has a quota that needs it. */
const lookEveryMs = 250

const watched = new Set<QuotaWatch>()
let timer: NodeJS.Timeout | null = null

function lookAtAll(): void {
  const usages = groupUsages(new Set([...watched].map(({ group }) => group)))
  for (const watch of watched) watch.look(usages.get(watch.group))
}

export class QuotaWatch {
  readonly group: number
  readonly #quota: QuotaSpec
  readonly #onExceeded: () => void
  /** What the group had used before: a process that is kept warm has worked for others. */
  readonly #cpuBeforeMs: number
  #outputBytes = 0
  /** What it used too much of. */
  exceeded: EvertickError | null = null

  /** `group`: whose processes are counted; null where there is none, as in a thread. */
  constructor(quota: QuotaSpec, group: number | null, onExceeded: () => void) {
    this.#quota = quota
    this.#onExceeded = onExceeded
    this.group = group ?? 0
    const isLooked = group !== null && needsLooks(quota)
    this.#cpuBeforeMs = isLooked ? (groupUsages(new Set([group])).get(group)?.cpuMs ?? 0) : 0
    if (!isLooked) return
    watched.add(this)
    timer ??= setInterval(lookAtAll, lookEveryMs)
  }

  /** No timer stays where nothing is watched. */
  end(): void {
    watched.delete(this)
    if (watched.size > 0 || timer === null) return
    clearInterval(timer)
    timer = null
  }

  printed(bytes: number): void {
    const { output } = this.#quota
    this.#outputBytes += bytes
    if (output !== null && this.#outputBytes > output)
      this.#exceeded('output', bytesText(output), roundBytes(this.#outputBytes))
  }

  look(usage: GroupUsage | undefined): void {
    if (usage === undefined) return
    const { cpuMs, memory, processes } = this.#quota
    const usedMs = usage.cpuMs - this.#cpuBeforeMs
    if (cpuMs !== null && usedMs > cpuMs)
      return this.#exceeded('cpu', formatDuration(cpuMs), formatDuration(usedMs))
    if (memory !== null && usage.memory > memory)
      return this.#exceeded('memory', bytesText(memory), roundBytes(usage.memory))
    if (processes !== null && usage.processes > processes)
      this.#exceeded('processes', String(processes), String(usage.processes))
  }

  #exceeded(name: string, limit: string | number, used: string): void {
    if (this.exceeded !== null) return
    this.end()
    const what = `It used more than its quota.${name}: ${used} of ${limit}. Make it use less, or raise the quota.`
    this.exceeded = new EvertickError('quota_exceeded', what, { field: `quota.${name}` })
    this.#onExceeded()
  }
}

function needsLooks({ cpuMs, memory, processes }: QuotaSpec): boolean {
  return cpuMs !== null || memory !== null || processes !== null
}

/** A limit that nobody keeps is worse than none. */
export function refuseUnwatched(quota: QuotaSpec): void {
  if (hasGroupUsage || !needsLooks(quota)) return
  throw new EvertickError(
    'execution_failed',
    'A quota of cpu, memory or processes is watched on Linux only.',
    {
      field: 'quota',
      next: 'Run this job on workers with Linux, or leave out all of its quota but output.',
    },
  )
}
