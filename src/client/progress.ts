/** A call that reports its progress as server-sent events, and at last its result. */
import { EvertickError } from '../core/error.ts'
import type { AnyInput, Requests } from './call.ts'
import { frames } from './event-frames.ts'
import { LostConnection, lateAnswer, problemOf } from './problem.ts'

/** How many of all were tried, and how that went. */
export interface BulkProgress {
  readonly done: number
  readonly total: number
  readonly changed: number
  readonly failed: number
}

/** The timeout limits the time between two events: how long all of the work takes is not known. */
export async function followed<Result>(
  requests: Requests,
  name: string,
  input: AnyInput,
  onProgress: (progress: BulkProgress) => void,
): Promise<Result> {
  const silenceMs = requests.timeoutMsOf(input)
  const connection = new AbortController()
  const signal =
    input.signal === undefined ? connection.signal : AbortSignal.any([input.signal, connection.signal])
  const late = setTimeout(() => connection.abort(), silenceMs)
  try {
    const headers = { accept: 'text/event-stream, application/json', ...input.headers }
    const response = await requests.open(name, { ...input, headers }, signal)
    clearTimeout(late)
    if (!response.ok || response.body === null) throw problemOf(response, await response.text())
    // A server that sends no progress has still done the work.
    if (!isStream(response)) return (await response.json()) as Result
    for await (const { event, data } of frames(response.body, { silenceMs, signal })) {
      if (event === 'progress') onProgress(JSON.parse(data ?? '') as BulkProgress)
      if (event === 'result') return JSON.parse(data ?? '') as Result
      if (event === 'problem') throw problemOf(response, data ?? '')
    }
    throw new Error('the stream ended before its result')
  } catch (error) {
    input.signal?.throwIfAborted()
    if (error instanceof EvertickError) throw error
    if (connection.signal.aborted) throw lateAnswer(requests.base, silenceMs, error)
    throw new LostConnection(requests.base, error)
  } finally {
    clearTimeout(late)
  }
}

function isStream(response: Response): boolean {
  return (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
}
