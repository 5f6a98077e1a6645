/** The visible time range and how it is shown. All of it is part of the URL, so that a view can be shared. */
import { computed, ref, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { now } from '../../clock.ts'
import { rangeOptions, ranges } from '../../words/ranges.ts'

const spanNames = ['15m', '1h', '6h', '24h'] as const
export const spanOptions = rangeOptions(spanNames)
type Span = (typeof spanNames)[number]
export type GroupBy = 'job' | 'node'
export type Look = 'chart' | 'table'

/** Room for runs that are about to start. */
const ahead = 0.06

export function useTimelineView() {
  const route = useRoute()
  const router = useRouter()
  const parameter = (name: string) => (typeof route.query[name] === 'string' ? route.query[name] : '')
  const span = ref<Span>(spanNames.find((name) => name === parameter('span')) ?? '1h')
  const by = ref<GroupBy>(parameter('by') === 'node' ? 'node' : 'job')
  const look = ref<Look>(parameter('look') === 'table' ? 'table' : 'chart')
  /** The end of the view; null: it follows the clock. */
  const end = ref<number | null>(
    Number.isNaN(Date.parse(parameter('to'))) ? null : Date.parse(parameter('to')),
  )

  const lengthMs = computed(() => ranges[span.value].ms)
  const isLive = computed(() => end.value === null)
  const to = computed(() => end.value ?? now.value + lengthMs.value * ahead)
  const from = computed(() => to.value - lengthMs.value)
  const canZoomIn = computed(() => span.value !== spanNames[0])
  const canZoomOut = computed(() => span.value !== spanNames.at(-1))

  function follow(): void {
    end.value = null
  }

  /** Moves by a share of the width; positive is later. At the present it follows the clock: the future is empty. */
  function pan(share: number): void {
    const moved = to.value + lengthMs.value * share
    end.value = moved >= now.value + lengthMs.value * ahead ? null : Math.round(moved)
  }

  /** Keeps `at` in the middle. */
  function zoom(by: 1 | -1, at = (from.value + to.value) / 2): void {
    const next = spanNames[spanNames.indexOf(span.value) - by]
    if (next === undefined) return
    const wasLive = isLive.value
    span.value = next
    if (!wasLive || by === 1) end.value = Math.round(at + ranges[next].ms / 2)
    pan(0)
  }

  watch([span, by, look, end], () => {
    const query = {
      ...(span.value === '1h' ? {} : { span: span.value }),
      ...(by.value === 'job' ? {} : { by: by.value }),
      ...(look.value === 'chart' ? {} : { look: look.value }),
      ...(end.value === null ? {} : { to: new Date(end.value).toISOString() }),
    }
    void router.replace({ query })
  })

  return { span, by, look, from, to, lengthMs, isLive, canZoomIn, canZoomOut, follow, pan, zoom }
}
