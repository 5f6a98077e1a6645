/** What a screen is asked for stands in its address, so that a finding can be sent to somebody, and Back goes back. */
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'

export function useAsked() {
  const route = useRoute()
  const router = useRouter()
  const asked = computed<Readonly<Record<string, string | undefined>>>(() =>
    Object.fromEntries(
      Object.entries(route.query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  )
  /** Null takes it out of the address. */
  function ask(changes: Readonly<Record<string, string | null>>): void {
    const query = Object.entries({ ...asked.value, ...changes }).filter(
      ([, value]) => value != null && value !== '',
    )
    void router.replace({ query: Object.fromEntries(query) })
  }
  return { asked, ask }
}
