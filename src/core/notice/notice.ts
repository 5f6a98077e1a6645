/** What happened and can be told to somebody outside: the one list of it, and what a webhook asks for by patterns. */
import { keysOf, ownValue } from '../table-keys.ts'

/** By type, in words that end a sentence which begins with "Told when". */
export const noticeTypes = {
  'execution.completed': 'an execution has completed',
  'execution.failed': 'an execution has failed for good',
  'execution.cancelled': 'an execution was cancelled',
  'execution.retrying': 'an attempt has failed and another one follows',
  'job.created': 'a job was created',
  'job.updated': 'a job was changed',
  'job.paused': 'a job was paused',
  'job.resumed': 'a job was resumed, by somebody or at the end of its pause',
  'job.disabled': 'a job was disabled, by somebody or because no node can run it',
  'job.enabled': 'a job was enabled again',
  'job.cancelled': 'a job was cancelled',
  'job.deleted': 'a job was deleted',
  'job.error': 'the schedule of a job can no longer be computed',
  'alert.opened': 'alerts of a rule have opened, as one message',
  'alert.repeated': 'alerts of a rule are still open, and their rule says to repeat it',
  'alert.resolved': 'alerts of a rule are over',
  'leader.elected': 'another node leads',
} as const satisfies Readonly<Record<string, string>>

export type NoticeType = keyof typeof noticeTypes
export const noticeTypeNames = keysOf<NoticeType>(noticeTypes)

/** `execution.failed`, `execution.*` or `*`. */
export function isEventPattern(pattern: string): boolean {
  return matchingTypes(pattern).length > 0
}

/** The types that one of the patterns names, in the order of the list. */
export function heardTypes(patterns: readonly string[]): NoticeType[] {
  const heard = new Set(patterns.flatMap(matchingTypes))
  return noticeTypeNames.filter((type) => heard.has(type))
}

function matchingTypes(pattern: string): NoticeType[] {
  if (pattern === '*') return noticeTypeNames
  if (pattern.endsWith('.*')) return noticeTypeNames.filter((type) => type.startsWith(pattern.slice(0, -1)))
  return ownValue(noticeTypes, pattern) === undefined
    ? []
    : noticeTypeNames.filter((type) => type === pattern)
}
