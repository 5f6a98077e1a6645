/** The queries of the job's page. Their keys contain the job's name, since events of executions use the name. */
import { useQuery, useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref, shallowReactive } from 'vue'
import type { Job } from '../../../../src/client/index.ts'
import { server } from '../../server.ts'

/** By ID or name, as in the URL. */
export function useJob(id: Readonly<Ref<string>>) {
  const queries = useQueryClient()
  const names = shallowReactive(new Map<string, string>())
  return useQuery({
    queryKey: computed(() => ['job', names.get(id.value) ?? id.value]),
    queryFn: async ({ signal }) => {
      const job = await server.jobs.get(id.value, { signal })
      // Cache it under its name too, so that it is not loaded twice.
      queries.setQueryData(['job', job.name], job)
      names.set(id.value, job.name)
      return job
    },
    // Never show another job in the meantime.
    placeholderData: () => undefined,
  })
}

export function useRevisions(job: Readonly<Ref<Job>>) {
  return useQuery({
    queryKey: computed(() => ['job', job.value.name, 'revisions']),
    queryFn: ({ signal }) => server.jobs.revisions(job.value.id, { signal }),
  })
}

/** What the latest executions used, of those that somebody could watch. */
export function useUsage(name: Readonly<Ref<string>>) {
  return useQuery({
    queryKey: computed(() => ['job', name.value, 'usage']),
    queryFn: ({ signal }) => server.jobs.usage(name.value, { limit: 200 }, { signal }),
  })
}

/** The latest executions, for the chart and the durations in the bar. */
export function useRecentExecutions(name: Readonly<Ref<string>>) {
  return useQuery({
    queryKey: computed(() => ['job', name.value, 'executions']),
    queryFn: async ({ signal }) =>
      (await server.jobs.executions(name.value, { limit: 200 }, { signal })).executions,
  })
}
