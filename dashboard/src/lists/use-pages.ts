/**
 * A long list in keyset pages. Only the visible pages are loaded and kept fresh: each is a query of its own, so that an
 * event reloads a screenful and not the hundred pages that somebody has scrolled through.
 */
import { useQueries, useQueryClient } from '@tanstack/vue-query'
import { computed, type Ref, ref, shallowReactive, watch } from 'vue'

export interface Page<Row> {
  readonly rows: readonly Row[]
  readonly nextCursor: string | null
}

export interface PagesOptions<Row> {
  /** Includes the filter and the order: another key is another list. */
  readonly key: Ref<readonly unknown[]>
  readonly size: number
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>
}

export function usePages<Row>({ key, size, load }: PagesOptions<Row>) {
  const queries = useQueryClient()
  /** Where each known page starts; undefined is the beginning of the list. */
  const cursors = shallowReactive<(string | undefined)[]>([undefined])
  const seen = ref({ first: 0, last: 0 })
  watch(
    () => JSON.stringify(key.value),
    () => {
      cursors.splice(0, cursors.length, undefined)
      seen.value = { first: 0, last: 0 }
    },
  )

  const pageKey = (index: number) => [...key.value, 'page', cursors[index] ?? null]
  const inView = computed(() => {
    const last = Math.min(seen.value.last, cursors.length - 1)
    return Array.from(
      { length: Math.max(1, last - seen.value.first + 1) },
      (_, offset) => seen.value.first + offset,
    )
  })
  const results = useQueries({
    queries: computed(() =>
      inView.value.map((index) => ({
        queryKey: pageKey(index),
        queryFn: ({ signal }: { signal: AbortSignal }) => load(cursors[index], signal),
      })),
    ),
  })

  watch(
    results,
    (all) => {
      all.forEach(({ data }, offset) => {
        const next = (inView.value[offset] ?? 0) + 1
        if (data?.nextCursor == null) return
        // If a page has grown or shrunk, the pages after it start elsewhere.
        if (next < cursors.length && cursors[next] !== data.nextCursor) cursors.splice(next)
        if (next === cursors.length) cursors.push(data.nextCursor)
      })
    },
    { immediate: true },
  )

  const firstError = computed(() => results.value.find(({ error }) => error)?.error ?? null)
  /** The list, not the visible page: a list that shrank while a page loads would scroll back and forth without end. */
  const isLoading = computed(() => cursors.length === 1 && (results.value[0]?.isPending ?? true))
  /** The known rows, plus a page of placeholders while there are more. */
  const count = computed(() => {
    const lastIndex = cursors.length - 1
    const last = pageAt(lastIndex)
    return lastIndex * size + (last?.rows.length ?? (isLoading.value ? 0 : size))
  })

  function pageAt(index: number): Page<Row> | undefined {
    const offset = inView.value.indexOf(index)
    const shown = offset < 0 ? undefined : results.value[offset]?.data
    return shown ?? queries.getQueryData<Page<Row>>(pageKey(index))
  }

  function rowAt(index: number): Row | undefined {
    return pageAt(Math.floor(index / size))?.rows[index % size]
  }

  /** Tells which rows are visible. The next page is loaded before it is reached. */
  function show(firstRow: number, lastRow: number): void {
    const first = Math.floor(firstRow / size)
    const last = Math.floor((lastRow + size / 2) / size)
    if (first !== seen.value.first || last !== seen.value.last) seen.value = { first, last }
  }

  return { count, rowAt, show, isLoading, error: firstError }
}
