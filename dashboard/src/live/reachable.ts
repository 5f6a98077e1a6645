/** Whether the node responds. Checked only while the live stream is down, when the page may show old data. */
import { ref, watch } from 'vue'
import { server } from '../server.ts'
import { liveState } from './live-updates.ts'

export const isUnreachable = ref(false)

const checkEveryMs = 3_000

export function followReachable(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined

  async function check(): Promise<void> {
    try {
      await server.call('GET /livez', { timeout: '5s' })
      isUnreachable.value = false
    } catch {
      isUnreachable.value = liveState.value === 'waiting'
    }
    if (liveState.value === 'waiting') timer = setTimeout(() => void check(), checkEveryMs)
  }

  const stopWatching = watch(
    liveState,
    (state) => {
      clearTimeout(timer)
      if (state === 'waiting') void check()
      else isUnreachable.value = false
    },
    { immediate: true },
  )
  return () => {
    stopWatching()
    clearTimeout(timer)
  }
}
