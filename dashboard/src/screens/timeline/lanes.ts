/** Arranges runs in lanes: a group for each job or node, with as many lanes as it has concurrent runs. */
import type { Answer } from '../../../../src/client/index.ts'
import type { GroupBy } from './timeline-view.ts'

type TimelineRun = Answer<'GET /timeline'>['runs'][number]

/** With its instants as numbers, since they are compared every second. */
export interface Run extends Omit<TimelineRun, 'count'> {
  readonly start: number
  readonly finish: number | null
  /** More than one where the server has merged runs that cannot be drawn apart. */
  readonly count: number
}

export interface Placed {
  readonly run: Run
  readonly start: number
  readonly end: number
}

export interface Lane {
  readonly key: string
  /** The job or node; shown on its first lane only. */
  readonly group: string
  readonly isFirst: boolean
  readonly runs: readonly Placed[]
}

/** One run, or several that are too short to be drawn separately. */
export interface Drawn {
  readonly key: string
  readonly left: number
  readonly width: number
  readonly runs: readonly Placed[]
  /** How many runs these are. */
  readonly count: number
  /** The worst among them. */
  readonly state: Run['state']
}

const unnamed = 'no node'

export function runsIn(runs: readonly Run[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0)
}

const worstFirst: readonly Run['state'][] = [
  'failed',
  'running',
  'retrying',
  'waiting',
  'sleeping',
  'cancelled',
  'blocked',
  'pending',
  'completed',
]

export function timed(run: TimelineRun): Run {
  return {
    ...run,
    start: Date.parse(run.startedAt),
    finish: run.finishedAt === null ? null : Date.parse(run.finishedAt),
    count: run.count ?? 1,
  }
}

/** When it ended, or now if it is running. A run that waits for its next attempt is a mark at its start. */
export function endOf({ state, start, finish }: Run, now: number): number {
  return finish ?? (state === 'running' ? now : start)
}

export function lanesOf(runs: readonly Run[], by: GroupBy, now: number): Lane[] {
  const groups = new Map<string, Placed[]>()
  for (const run of runs) {
    const name = by === 'job' ? run.job : (run.nodeId ?? unnamed)
    const placed = { run, start: run.start, end: endOf(run, now) }
    const members = groups.get(name)
    if (members === undefined) groups.set(name, [placed])
    else members.push(placed)
  }
  const sorted = [...groups].map(([group, members]) => ({
    group,
    members: members.toSorted((a, b) => a.start - b.start),
  }))
  sorted.sort(
    (a, b) => (a.members[0]?.start ?? 0) - (b.members[0]?.start ?? 0) || (a.group < b.group ? -1 : 1),
  )
  return sorted.flatMap(({ group, members }) =>
    spread(members).map((lane, index) => ({
      key: `${group}:${index}`,
      group,
      isFirst: index === 0,
      runs: lane,
    })),
  )
}

/** Puts each run into the first lane that is free when it starts. */
function spread(members: readonly Placed[]): Placed[][] {
  const lanes: Placed[][] = []
  for (const placed of members) {
    const free = lanes.find((lane) => (lane.at(-1)?.end ?? 0) <= placed.start)
    if (free === undefined) lanes.push([placed])
    else free.push(placed)
  }
  return lanes
}

export const narrowest = 5
/** A run that is wider is never merged with others. */
const narrow = 12

/** In pixels from the left edge of the view. Runs that would overlap are merged. */
export function drawnOf(lane: Lane, from: number, to: number, width: number): Drawn[] {
  const perMs = width / (to - from)
  const bars: { left: number; right: number; runs: Placed[]; isNarrow: boolean }[] = []
  for (const placed of lane.runs) {
    if (placed.end < from || placed.start > to) continue
    const last = bars.at(-1)
    const begin = Math.max(0, (placed.start - from) * perMs)
    const end = Math.min(width, (placed.end - from) * perMs)
    const isNarrow = end - begin < narrow
    if (last !== undefined && last.isNarrow && isNarrow && begin < last.right + 1) {
      last.right = Math.max(last.right, end, begin + narrowest)
      last.runs.push(placed)
      continue
    }
    const left = Math.max(begin, last === undefined ? 0 : last.right + 1)
    bars.push({ left, right: Math.max(end, left + narrowest), runs: [placed], isNarrow })
  }
  return bars.map(({ left, right, runs }) => ({
    key: runs[0]?.run.id ?? '',
    left,
    width: right - left,
    runs,
    count: runsIn(runs.map(({ run }) => run)),
    state: worstFirst.find((state) => runs.some(({ run }) => run.state === state)) ?? 'completed',
  }))
}
