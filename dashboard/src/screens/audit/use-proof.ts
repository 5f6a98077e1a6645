/** The last audit of the ticks, shown on the overview and the audit page until somebody runs it again. */
import { useQuery } from '@tanstack/vue-query'
import { computed, ref } from 'vue'
import { now } from '../../clock.ts'
import { server } from '../../server.ts'

export function useProof() {
  const startedAt = ref(0)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['proof'],
    queryFn: async ({ signal }) => ({ ...(await server.audit({ signal })), at: now.value }),
    // Only on demand: it reads the ledger of every job.
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

  function prove(): void {
    startedAt.value = now.value
    void refetch()
  }

  const action = computed(() => {
    if (isFetching.value) return 'Auditing …'
    return data.value === undefined ? 'Run audit' : 'Run audit again'
  })
  return { data, error, isFetching, startedAt, action, prove }
}
