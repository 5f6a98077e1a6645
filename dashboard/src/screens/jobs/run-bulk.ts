/** Does one action to many jobs: to all that match with one request, to selected ones one after the other. */
import { problemWords } from '../../kit/problem-words.ts'
import { server } from '../../server.ts'
import type { BulkAction, BulkReport } from './bulk-actions.ts'

export interface BulkRequest {
  readonly action: BulkAction
  readonly reason: string
  readonly onProgress: (done: number, total: number) => void
}

/** The server does nothing if the number of matches is not the one that was confirmed. */
export async function onMatching(
  filter: string,
  confirmed: number,
  { action, reason, onProgress }: BulkRequest,
): Promise<BulkReport> {
  const { changed, failed } = await server.jobs.bulk(
    { action, filter, confirm: confirmed, ...reasonOf(action, reason) },
    { onProgress: ({ done, total }) => onProgress(done, total) },
  )
  return { action, changed, failed }
}

export async function onSelected(
  names: readonly string[],
  { action, reason, onProgress }: BulkRequest,
): Promise<BulkReport> {
  const changed: string[] = []
  const failed: { job: string; message: string }[] = []
  for (const [index, name] of names.entries()) {
    try {
      if (action === 'pause') await server.jobs.pause(name, reasonOf(action, reason))
      else await server.jobs[action](name)
      changed.push(name)
    } catch (error) {
      failed.push({ job: name, message: problemWords(error).message })
    }
    onProgress(index + 1, names.length)
  }
  return { action, changed, failed }
}

function reasonOf(action: BulkAction, reason: string): { reason?: string } {
  return action === 'pause' && reason.trim() !== '' ? { reason: reason.trim() } : {}
}
