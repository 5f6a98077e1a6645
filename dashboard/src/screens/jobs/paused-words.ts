/** "Paused by Ana, 2 d ago", where a list would show the next run. */
import type { Job } from '../../../../src/client/index.ts'
import { actorName } from '../../../../src/core/access/person.ts'
import { relative } from '../../words/times.ts'

export function pausedWords({ pausedBy, pausedAt }: Pick<Job, 'pausedBy' | 'pausedAt'>): string {
  if (pausedAt === null) return ''
  const by = pausedBy === null ? '' : ` by ${actorName(pausedBy)}`
  return `Paused${by}, ${relative(pausedAt)}`
}
