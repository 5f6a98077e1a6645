/** Whether the node answers: asked only while the live stream is gone, for then what is shown may be long past. */
import { ref, watch } from 'vue'
import { server } from '../server.ts'
import { liveState } from './live-updates.ts'

export const isUnreachable = ref(false)

const askEveryMs = 3_000

export function followReachable(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined

  async function look(): Promise<void> {
    try {
      await server.call('GET /livez', { timeout: '5s' })
      isUnreachable.value = false
    } catch {
      isUnreachable.value = liveState.value === 'waiting'
    }
    if (liveState.value === 'waiting') timer = setTimeout(() => void look(), askEveryMs)
  }

  const stopWatching = watch(
    liveState,
    (state) => {
      clearTimeout(timer)
      if (state === 'waiting') void look()
      else isUnreachable.value = false
    },
    { immediate: true },
  )
  return () => {
    stopWatching()
    clearTimeout(timer)
  }
}
