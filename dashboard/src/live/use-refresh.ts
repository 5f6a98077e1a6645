/** Reloads what an action has changed, without waiting for the server's event. */
import { type QueryKey, useQueryClient } from '@tanstack/vue-query'

export function useRefresh(): (...keys: readonly QueryKey[]) => void {
  const queries = useQueryClient()
  return (...keys) => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey })
  }
}
