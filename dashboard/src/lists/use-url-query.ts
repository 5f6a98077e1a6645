/** A screen's filters are part of its URL, so that a view can be shared and Back works. */
import { computed } from 'vue'
import { useRoute, useRouter } from 'vue-router'

export function useUrlQuery() {
  const route = useRoute()
  const router = useRouter()
  const query = computed<Readonly<Record<string, string | undefined>>>(() =>
    Object.fromEntries(
      Object.entries(route.query).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ),
  )
  /** Null or an empty text removes a parameter. */
  function setQuery(changes: Readonly<Record<string, string | null>>): void {
    const parameters = Object.entries({ ...query.value, ...changes }).filter(
      ([, value]) => value != null && value !== '',
    )
    void router.replace({ query: Object.fromEntries(parameters) })
  }
  return { query, setQuery }
}
