/** The job whose page is open, for what the palette can do with it; and those that were open before. */
import { useQueryClient } from '@tanstack/vue-query'
import { computed, onUnmounted, shallowRef, watch } from 'vue'
import { useRoute } from 'vue-router'
import type { Job } from '../../../src/client/index.ts'
import { preferences } from '../preferences.ts'

const keptRecent = 6

/** The page of the job has asked for it: nothing is asked twice. */
export function useJobAtHand() {
  const route = useRoute()
  const cache = useQueryClient().getQueryCache()
  const id = computed(() =>
    (route.name === 'job' || route.name === 'edit-job') && typeof route.params.id === 'string'
      ? route.params.id
      : null,
  )
  const job = shallowRef<Job | null>(null)

  function look(): void {
    const known = cache
      .findAll({ queryKey: ['job'] })
      .filter(({ queryKey }) => queryKey.length === 2)
      .map(({ state }) => state.data as Job | undefined)
    job.value =
      known.find((each) => each !== undefined && (each.id === id.value || each.name === id.value)) ?? null
  }
  watch(id, look, { immediate: true })
  onUnmounted(
    cache.subscribe(({ type, query }) => {
      const key = query.queryKey as readonly unknown[]
      if (type === 'updated' && key[0] === 'job' && key.length === 2) look()
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
