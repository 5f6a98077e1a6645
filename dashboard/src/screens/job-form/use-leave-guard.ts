/** What was written and not saved is not lost by a stray click: leaving asks first. */
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
  // Closed by Escape is a no.
  watch(isAsking, (isOpen) => {
    if (!isOpen) reply(false)
  })

  function onUnload(event: BeforeUnloadEvent): void {
    if (isDirty.value) event.preventDefault()
  }
  onMounted(() => window.addEventListener('beforeunload', onUnload))

  // Nothing may change under the hands of who writes.
  let release: (() => void) | null = null
  watch(isDirty, (isHeld) => {
    release?.()
    release = isHeld ? holdLive() : null
  })
  onUnmounted(() => {
    window.removeEventListener('beforeunload', onUnload)
    release?.()
  })
  return { isAsking, leave: () => reply(true) }
}
