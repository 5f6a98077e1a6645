import { ref } from 'vue'

export const paletteIsOpen = ref(false)
export const paletteStart = ref('')

export function openPalette(text = ''): void {
  paletteStart.value = text
  paletteIsOpen.value = true
}
