/** What an attempt has used, as far as it could be seen; null is what nobody could see. */
export interface Usage {
  readonly peakMemoryBytes: number | null
  readonly cpuMs: number | null
}

/** Asked when its end is written; null where nothing was seen. */
export type ReadUsage = () => Usage | null

/** Of all attempts of one run: the highest peak, and their CPU time together. */
export function usageOfRun(attempts: readonly Usage[]): Usage {
  const peaks = attempts.flatMap(({ peakMemoryBytes }) => peakMemoryBytes ?? [])
  const times = attempts.flatMap(({ cpuMs }) => cpuMs ?? [])
  return {
    peakMemoryBytes: peaks.length === 0 ? null : Math.max(...peaks),
    cpuMs: times.length === 0 ? null : times.reduce((sum, ms) => sum + ms, 0),
  }
}
