/** The width of an element as it changes. Charts draw in real pixels, so that their text is not stretched. */
import { onUnmounted, type Ref, ref, watch } from 'vue'

export function useWidth(element: Ref<HTMLElement | null>): Ref<number> {
  const width = ref(0)
  const observer = new ResizeObserver(([entry]) => {
    if (entry !== undefined) width.value = Math.floor(entry.contentRect.width)
  })
  watch(element, (now, before) => {
    if (before != null) observer.unobserve(before)
    if (now !== null) observer.observe(now)
  })
  onUnmounted(() => observer.disconnect())
  return width
}
