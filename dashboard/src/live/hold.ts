/** Live updates wait while a form is open, so that nothing changes under whoever fills it in. */
import { ref } from 'vue'

export const holders = ref(0)

/** Holds live updates until the returned function is called. */
export function holdLive(): () => void {
  holders.value += 1
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    holders.value -= 1
  }
}
