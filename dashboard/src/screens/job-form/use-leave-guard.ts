/** Asks before unsaved changes are left behind. */
import { onMounted, onUnmounted, type Ref, ref, watch } from 'vue'
import { onBeforeRouteLeave } from 'vue-router'
import { holdLive } from '../../live/hold.ts'

export function useLeaveGuard(isDirty: Readonly<Ref<boolean>>) {
  const isAsking = ref(false)
  let answer: ((mayLeave: boolean) => void) | null = null

  onBeforeRouteLeave(async () => {
    if (!isDirty.value) return true
    isAsking.value = true
    return await new Promise<boolean>((resolve) => (answer = resolve))
  })
  function reply(mayLeave: boolean): void {
    isAsking.value = false
    answer?.(mayLeave)
    answer = null
  }

  function onUnload(event: BeforeUnloadEvent): void {
    if (isDirty.value) event.preventDefault()
  }
  onMounted(() => window.addEventListener('beforeunload', onUnload))

  // The form must not change under whoever fills it in.
  let release: (() => void) | null = null
  watch(isDirty, (isHeld) => {
    release?.()
    release = isHeld ? holdLive() : null
  })
  onUnmounted(() => {
    window.removeEventListener('beforeunload', onUnload)
    release?.()
  })
  return { isAsking, leave: async () => reply(true), stay: () => reply(false) }
}
