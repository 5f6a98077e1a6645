/** While somebody writes in a form, news wait: nothing may change under the hands of its reader. */
import { ref } from 'vue'

export const holders = ref(0)

/** Holds back live updates until the returned function is called. */
export function holdLive(): () => void {
  holders.value += 1
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    holders.value -= 1
  }
}
