/** One execution and its log. The server sends no events for progress and logs, so these are polled while it runs. */
import { useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import { server } from '../../server.ts'

const pollMs = 2_000

export function useExecution(id: Readonly<Ref<string>>) {
  return useQuery({
    queryKey: computed(() => ['execution', id.value]),
    queryFn: ({ signal }) => server.executions.get(id.value, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? pollMs : false),
    // Never show another execution under this URL, not even for a moment.
    placeholderData: () => undefined,
  })
}

export function useLogs(id: Readonly<Ref<string>>, isRunning: Readonly<Ref<boolean>>) {
  return useQuery({
    queryKey: computed(() => ['execution', id.value, 'logs', isRunning.value]),
    queryFn: ({ signal }) => server.executions.logs(id.value, { signal }),
    refetchInterval: () => (isRunning.value ? pollMs : false),
    // Keep the log when its execution ends, but never show that of another.
    placeholderData: (old, before) => (before?.queryKey[1] === id.value ? old : undefined),
  })
}
