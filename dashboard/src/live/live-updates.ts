/**
 * The server says that something has changed, never what: the queries that show it are asked again, a little later and
 * together. Nothing is read while the page is hidden or a form is open; then all that was held is read at once.
 */
import type { QueryClient } from '@tanstack/vue-query'
import { ref, watch } from 'vue'
import { server } from '../server.ts'
import { endSession, isUnauthenticated } from '../session.ts'
import { holders } from './hold.ts'

/** `live`: the stream is open. `waiting`: it is being opened again. `held`: a form is open. */
export const liveState = ref<'live' | 'waiting' | 'held'>('waiting')

const gatherMs = 400
/** Before the stream is asked for again where it could not even be opened. */
const openAgainMs = 3_000

type Key = readonly unknown[]

export function followLive(queries: QueryClient): () => void {
  let stream: AbortController | null = null
  const stale = new Map<string, Key>()
  let timer: ReturnType<typeof setTimeout> | null = null

  function flush(): void {
    timer = null
    if (holders.value > 0 || document.hidden) return
    for (const [name, queryKey] of stale) {
      // What is being asked is not cut off and asked again: on a busy cluster it would never be answered.
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

  function onConnection(isThere: boolean): void {
    if (stream === null) return
    // What failed while it was away is asked again.
    if (isThere && liveState.value === 'waiting') changed([])
    liveState.value = isThere ? (holders.value > 0 ? 'held' : 'live') : 'waiting'
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
      await new Promise((resolve) => setTimeout(resolve, openAgainMs))
    }
  }

  function open(): void {
    if (stream !== null || document.hidden) return
    stream = new AbortController()
    liveState.value = holders.value > 0 ? 'held' : 'live'
    void keepFollowing(stream.signal)
  }

  /** A hidden page costs the server nothing; what it has missed is read when it is seen again. */
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
