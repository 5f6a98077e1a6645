/** The server's time. The browser's clock may be wrong, and countdowns must not be. */
import { readonly, ref } from 'vue'

let offsetMs = 0
const current = ref(Date.now())

/** Ticks once a second while the page is visible. */
export const now = readonly(current)

export function setServerTime(instant: string): void {
  offsetMs = Date.parse(instant) - Date.now()
  update()
}

function update(): void {
  current.value = Date.now() + offsetMs
}

setInterval(() => {
  if (!document.hidden) update()
}, 1_000)
document.addEventListener('visibilitychange', update)
