/** What the job's page asks of the server. All of it is kept under the job's name, since events of executions name it so. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref, shallowReactive } from 'vue'
import { server } from '../../server.ts'

/** By id or name, as the address has it. */
export function useJob(id: Readonly<Ref<string>>) {
  const queries = useQueryClient()
  const names = shallowReactive(new Map<string, string>())
  return useQuery({
    queryKey: computed(() => ['job', names.get(id.value) ?? id.value]),
    queryFn: async ({ signal }) => {
      const job = await server.jobs.get(id.value, { signal })
      // From now on it is found under its name, and nothing is asked twice.
      queries.setQueryData(['job', job.name], job)
      names.set(id.value, job.name)
      return job
    },
    // Another job's head is worse than none.
    placeholderData: () => undefined,
  })
}

/** The newest runs: for the chart, and for how long the ticks of the bar took. */
export function useRecentExecutions(name: Readonly<Ref<string>>) {
  return useQuery({
    queryKey: computed(() => ['job', name.value, 'executions']),
    queryFn: async ({ signal }) =>
      (await server.jobs.executions(name.value, { limit: 200 }, { signal })).executions,
  })
}
