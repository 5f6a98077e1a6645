/** One execution, kept fresh while it is under way: progress and logs are no events, so they are looked for. */
import { useQuery } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import { server } from '../../server.ts'

const lookAgainMs = 2_000

export function useExecution(id: Readonly<Ref<string>>) {
  return useQuery({
    queryKey: computed(() => ['execution', id.value]),
    queryFn: ({ signal }) => server.executions.get(id.value, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? lookAgainMs : false),
    // Another execution under this address would be wrong, however short.
    placeholderData: () => undefined,
  })
}

export function useLogs(id: Readonly<Ref<string>>, isRunning: Readonly<Ref<boolean>>) {
  return useQuery({
    queryKey: computed(() => ['execution', id.value, 'logs', isRunning.value]),
    queryFn: ({ signal }) => server.executions.logs(id.value, { signal }),
    refetchInterval: () => (isRunning.value ? lookAgainMs : false),
    // The same log once more, when its execution has ended; never that of another.
    placeholderData: (old, before) => (before?.queryKey[1] === id.value ? old : undefined),
  })
}
