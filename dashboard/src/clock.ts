/** The server's time, as this browser sees it: its own clock may be wrong, and countdowns must not be. */
import { readonly, ref } from 'vue'

let offsetMs = 0
const current = ref(Date.now())

/** Moves once a second while the page is seen. */
export const now = readonly(current)

export function setServerTime(instant: string): void {
  offsetMs = Date.parse(instant) - Date.now()
  move()
}

function move(): void {
  current.value = Date.now() + offsetMs
}

setInterval(() => {
  if (!document.hidden) move()
}, 1_000)
document.addEventListener('visibilitychange', move)
