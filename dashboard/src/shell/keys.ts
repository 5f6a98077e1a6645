import { ref } from 'vue'

export const keysAreOpen = ref(false)

/** Whether a dialog or menu is open; it has keys of its own. */
export function isCovered(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null
}

export function openKeys(): void {
  keysAreOpen.value = true
}

/** Whether a key is typed into a field. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null
  return (
    target !== null && (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}
