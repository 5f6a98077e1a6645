/**
 * What a job keeps of the words that it was written in, under one key of its metadata: its cron where an interval took
 * its place, so that there is a way back, and the unit of that interval.
 */
import type { IntervalType } from './legacy-job.ts'

export const keptKey = 'legacy'

export interface LegacyKept {
  readonly interval_type?: IntervalType
  /** The cron that an interval stands for, or was given beside. */
  readonly schedule_time?: string
  /** Its zone. @default that of the node */
  readonly timezone?: string
  /** The interval that took its place, in milliseconds: where it differs by now, somebody has changed the job since. */
  readonly every?: number
}

export type Metadata = Readonly<Record<string, unknown>>

export function keptOf(metadata: Metadata): LegacyKept {
  const kept = metadata[keptKey]
  return typeof kept === 'object' && kept !== null ? kept : {}
}

/** The metadata with this, and with no trace of what was kept before; the key is there only where it says something. */
export function withKept(metadata: Metadata, kept: LegacyKept): Metadata {
  const { [keptKey]: _before, ...own } = metadata
  return Object.keys(kept).length === 0 ? own : { ...own, [keptKey]: kept }
}
