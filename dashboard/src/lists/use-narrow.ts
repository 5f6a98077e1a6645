/** Whether the page is as narrow as a phone, for layouts that CSS alone cannot change. */
import { type Ref, readonly, ref } from 'vue'

const query = matchMedia('(max-width: 760px)')
const isNarrow = ref(query.matches)
query.addEventListener('change', ({ matches }) => (isNarrow.value = matches))

export function useNarrow(): Readonly<Ref<boolean>> {
  return readonly(isNarrow)
}
