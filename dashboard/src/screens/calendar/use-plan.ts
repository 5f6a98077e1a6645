/**
 * Past and planned runs, hour by hour. Each week is a query, since a month has more hours than the server counts at once.
 * Hours start with the local day, so that they add up to days in any zone.
 */
import { useQueries } from '@tanstack/vue-query'
import { computed, type Ref } from 'vue'
import type { Answer } from '../../../../src/client/index.ts'
import { now } from '../../clock.ts'
import { server } from '../../server.ts'
import { crowdsOf } from '../../words/crowds.ts'
import { dayNumber, hourMs, localMs, startOfDay } from '../../words/days.ts'

export type PileUp = Answer<'GET /forecast'>['pileUps'][number]

export interface HourPlan {
  readonly at: number
  /** In local time. */
  readonly hour: number
  readonly completed: number
  readonly failed: number
  readonly skipped: number
  readonly planned: number
}

export interface DayPlan {
  readonly day: number
  readonly hours: readonly HourPlan[]
  readonly completed: number
  readonly failed: number
  readonly skipped: number
  readonly planned: number
  /** The largest first. */
  readonly crowds: readonly PileUp[]
  /** There were too many runs to count. */
  readonly isUncounted: boolean
}

/** For the weeks that start on these days. */
export function usePlan(mondays: Ref<readonly number[]>, zone: Ref<string>) {
  const weeks = computed(() =>
    mondays.value.map((monday) => {
      const from = startOfDay(monday, zone.value)
      const to = startOfDay(monday + 7, zone.value)
      const query = {
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        buckets: Math.round((to - from) / hourMs),
      }
      return { from, to, query }
    }),
  )
  const past = useQueries({
    queries: computed(() =>
      weeks.value
        .filter(({ from }) => from < now.value)
        .map(({ from, to, query }) => ({
          // Only the current week still changes.
          queryKey: to > now.value ? ['overview', 'activity', from, to] : ['activity', from, to],
          queryFn: ({ signal }: { signal: AbortSignal }) => server.call('GET /activity', { query, signal }),
          placeholderData: () => undefined,
        })),
    ),
  })
  const future = useQueries({
    queries: computed(() =>
      weeks.value
        .filter(({ to }) => to > now.value)
        .map(({ from, to, query }) => ({
          queryKey: ['forecast', 'week', from, to],
          queryFn: ({ signal }: { signal: AbortSignal }) => server.call('GET /forecast', { query, signal }),
          placeholderData: () => undefined,
        })),
    ),
  })

  const days = computed(() => {
    const plans = new Map<number, DayPlan>()
    const hours = new Map<number, HourPlan>()
    for (const { data } of past.value) {
      for (const { at, completed, failed, skipped } of data?.buckets ?? []) {
        const begin = Date.parse(at)
        hours.set(begin, {
          at: begin,
          hour: hourOf(begin, zone.value),
          completed,
          failed,
          skipped,
          planned: 0,
        })
      }
    }
    for (const { data } of future.value) {
      for (const { at, count } of data?.buckets ?? []) {
        const begin = Date.parse(at)
        const before = hours.get(begin) ?? {
          at: begin,
          hour: hourOf(begin, zone.value),
          completed: 0,
          failed: 0,
          skipped: 0,
        }
        hours.set(begin, { ...before, planned: count })
      }
    }
    const crowds = future.value.flatMap(({ data }) => crowdsOf(data?.pileUps ?? []))
    const countedFrom = past.value.flatMap(({ data }) =>
      data === undefined ? [] : [{ from: Date.parse(data.from), covered: Date.parse(data.coveredFrom) }],
    )
    for (const [day, members] of Map.groupBy(hours.values(), ({ at }) => dayNumber(at, zone.value))) {
      const sum = (part: 'completed' | 'failed' | 'skipped' | 'planned') =>
        members.reduce((all, hour) => all + hour[part], 0)
      const begin = members[0]?.at ?? 0
      plans.set(day, {
        day,
        hours: members.toSorted((a, b) => a.at - b.at),
        completed: sum('completed'),
        failed: sum('failed'),
        skipped: sum('skipped'),
        planned: sum('planned'),
        crowds: crowds.filter(({ at }) => dayNumber(Date.parse(at), zone.value) === day),
        isUncounted: countedFrom.some(({ from, covered }) => begin >= from && begin < covered),
      })
    }
    return plans
  })

  const all = computed(() => [...past.value, ...future.value])
  const isPending = computed(() => all.value.some((each) => each.isPending))
  const error = computed(() => all.value.find((each) => each.error)?.error ?? null)
  const refetch = () => Promise.all(all.value.map((each) => each.refetch()))
  return { days, isPending, error, refetch }
}

function hourOf(at: number, zone: string): number {
  return Math.floor(localMs(at, zone) / hourMs) % 24
}
