/**
 * The server says that something has changed, not how. The queries that show it are reloaded together, a moment later.
 * Nothing is loaded while the page is hidden or a form is open; afterwards everything that waited is loaded at once.
 */
import type { QueryClient } from '@tanstack/vue-query'
import { ref, watch } from 'vue'
import { server } from '../server.ts'
import { endSession, isUnauthenticated } from '../session.ts'
import { holders } from './hold.ts'

/** `live`: the stream is open. `waiting`: it is being reopened. `held`: a form is open. */
export const liveState = ref<'live' | 'waiting' | 'held'>('waiting')

const gatherMs = 400
/** The wait after the stream could not be opened. */
const reopenMs = 3_000

type Key = readonly unknown[]

export function followLive(queries: QueryClient): () => void {
  let stream: AbortController | null = null
  const stale = new Map<string, Key>()
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    timer = null
    if (holders.value > 0 || document.hidden) return
    for (const [name, queryKey] of stale) {
      // A query that is still loading is not restarted: on a busy cluster it would never finish.
      if (queries.isFetching({ queryKey }) > 0) continue
      stale.delete(name)
      void queries.invalidateQueries({ queryKey })
    }
    if (stale.size > 0) timer = setTimeout(flush, gatherMs)
  }

  function changed(...keys: Key[]): void {
    for (const key of keys) stale.set(JSON.stringify(key), key)
    timer ??= setTimeout(flush, gatherMs)
  }

  async function follow(signal: AbortSignal): Promise<void> {
    for await (const event of server.events({ signal, onConnection })) {
      switch (event.type) {
        case 'reset':
          changed([])
          break
        case 'execution':
          changed(['execution', event.id], ['executions'], ['job', event.job], ['jobs'], ['overview'])
          break
        case 'executions':
          changed(
            ['executions'],
            ['jobs'],
            ['overview'],
            ...(event.job === null ? [['job']] : [['job', event.job]]),
          )
          break
        case 'job':
          changed(['job', event.id], ['job', event.job], ['jobs'], ['overview'], ['forecast'])
          break
        case 'lease':
          changed(['execution', event.id], ['cluster'])
          break
        case 'leader':
          changed(['cluster'], ['overview'])
          break
      }
    }
  }

  function onConnection(isOpen: boolean): void {
    if (stream === null) return
    // Reload whatever failed in the meantime.
    if (isOpen && liveState.value === 'waiting') changed([])
    liveState.value = isOpen ? (holders.value > 0 ? 'held' : 'live') : 'waiting'
  }

  async function keepFollowing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await follow(signal)
      } catch (error) {
        if (isUnauthenticated(error)) return endSession()
      }
      if (signal.aborted) return
      liveState.value = 'waiting'
      await new Promise((resolve) => setTimeout(resolve, reopenMs))
    }
  }

  function open(): void {
    if (stream !== null || document.hidden) return
    stream = new AbortController()
    liveState.value = holders.value > 0 ? 'held' : 'live'
    void keepFollowing(stream.signal)
  }

  /** A hidden page costs the server nothing; it reloads when it becomes visible again. */
  function onVisibility(): void {
    if (document.hidden) {
      stream?.abort()
      stream = null
    } else {
      open()
      changed([])
    }
  }

  const stopWatching = watch(holders, (count) => {
    if (count === 0) timer ??= setTimeout(flush, 0)
    if (liveState.value !== 'waiting') liveState.value = count > 0 ? 'held' : 'live'
  })
  document.addEventListener('visibilitychange', onVisibility)
  open()
  return () => {
    stopWatching()
    document.removeEventListener('visibilitychange', onVisibility)
    stream?.abort()
    if (timer !== null) clearTimeout(timer)
  }
}
