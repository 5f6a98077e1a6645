import { ref } from 'vue'

export const keysAreOpen = ref(false)

/** Whether something lies over the page: its keys are its own. */
export function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null
}

export function openKeys(): void {
  keysAreOpen.value = true
}

/** Whether a key goes into a text, and not to the page. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null
  return (
    target !== null && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}
