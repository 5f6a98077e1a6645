/** Which stretch of time is looked at, and how: all of it stands in the address, so that a view can be sent on. */
import { computed, ref, watch } from 'vue'
import { useRoute, useRouter } from 'vue-router'
import { now } from '../../clock.ts'

const minuteMs = 60_000
export const spans = {
  '15m': 15 * minuteMs,
  '1h': 60 * minuteMs,
  '6h': 360 * minuteMs,
  '24h': 1_440 * minuteMs,
} as const
export type Span = keyof typeof spans
export type GroupBy = 'job' | 'node'
export type Look = 'picture' | 'table'

const spanNames = Object.keys(spans) as Span[]
/** Room for what is about to begin. */
const ahead = 0.06

export function useTimelineView() {
  const route = useRoute()
  const router = useRouter()
  const asked = (name: string) => (typeof route.query[name] === 'string' ? route.query[name] : '')
  const span = ref<Span>(spanNames.find((name) => name === asked('span')) ?? '1h')
  const by = ref<GroupBy>(asked('by') === 'node' ? 'node' : 'job')
  const look = ref<Look>(asked('look') === 'table' ? 'table' : 'picture')
  /** Where the view ends; null: it goes with the clock. */
  const end = ref<number | null>(Number.isNaN(Date.parse(asked('to'))) ? null : Date.parse(asked('to')))

  const lengthMs = computed(() => spans[span.value])
  const isLive = computed(() => end.value === null)
  const to = computed(() => end.value ?? now.value + lengthMs.value * ahead)
  const from = computed(() => to.value - lengthMs.value)
  const canZoomIn = computed(() => span.value !== spanNames[0])
  const canZoomOut = computed(() => span.value !== spanNames.at(-1))

  function follow(): void {
    end.value = null
  }

  /** By a share of the width; to the right is later. What is not yet cannot be looked at: there it follows. */
  function pan(share: number): void {
    const moved = to.value + lengthMs.value * share
    end.value = moved >= now.value + lengthMs.value * ahead ? null : Math.round(moved)
  }

  /** Keeps what is at `at` in the middle. */
  function zoom(by: 1 | -1, at = (from.value + to.value) / 2): void {
    const next = spanNames[spanNames.indexOf(span.value) - by]
    if (next === undefined) return
    const wasLive = isLive.value
    span.value = next
    if (!wasLive || by === 1) end.value = Math.round(at + spans[next] / 2)
    pan(0)
  }

  watch([span, by, look, end], () => {
    const query = {
      ...(span.value === '1h' ? {} : { span: span.value }),
      ...(by.value === 'job' ? {} : { by: by.value }),
      ...(look.value === 'picture' ? {} : { look: look.value }),
      ...(end.value === null ? {} : { to: new Date(end.value).toISOString() }),
    }
    void router.replace({ query })
  })

  return { span, by, look, from, to, lengthMs, isLive, canZoomIn, canZoomOut, follow, pan, zoom }
}
