/** The job whose page is open, for the commands of the palette, and the jobs that were open before. */
import { useQueryClient } from '@tanstack/vue-query'
import { computed, onUnmounted, shallowRef, watch } from 'vue'
import { useRoute } from 'vue-router'
import type { Job } from '../../../src/client/index.ts'
import { preferences } from '../preferences.ts'

const keptRecent = 6

/** From the cache: the job's page has loaded it already. */
export function useCurrentJob() {
  const route = useRoute()
  const cache = useQueryClient().getQueryCache()
  const id = computed(() =>
    (route.name === 'job' || route.name === 'edit-job') && typeof route.params.id === 'string'
      ? route.params.id
      : null,
  )
  const job = shallowRef<Job | null>(null)

  function findJob(): void {
    const jobs = cache
      .findAll({ queryKey: ['job'] })
      .filter(({ queryKey }) => queryKey.length === 2)
      .map(({ state }) => state.data as Job | undefined)
    job.value =
      jobs.find((each) => each !== undefined && (each.id === id.value || each.name === id.value)) ?? null
  }
  watch(id, findJob, { immediate: true })
  onUnmounted(
    cache.subscribe(({ type, query }) => {
      const key = query.queryKey as readonly unknown[]
      if (type === 'updated' && key[0] === 'job' && key.length === 2) findJob()
    }),
  )
  watch(
    () => job.value?.name,
    (name) => {
      if (name === undefined) return
      preferences.recentJobs = [name, ...preferences.recentJobs.filter((each) => each !== name)].slice(
        0,
        keptRecent,
      )
    },
    { immediate: true },
  )
  return job
}
