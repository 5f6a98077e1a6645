/** The jobs that come after others, as a whole: none after itself, and each join of parents that can meet. */
import { EvertickError } from '../error.ts'

export interface GraphJob {
  readonly name: string
  readonly parents: readonly string[]
  readonly join: 'all' | 'any'
  readonly byPeriod: boolean
}

/** Of every job that comes after another, by name. */
export type Graph = ReadonlyMap<string, GraphJob>

/** Throws where the job, as it would be, closes a circle, or leaves a join that could never be met. */
export function refuseGraph(graph: Graph, changed: string): void {
  const cycle = cycleThrough(graph, changed)
  if (cycle !== null)
    throw refused(
      changed,
      `it would come after itself: ${cycle.join(' after ')}.`,
      'Take one of them out of `after`.',
    )
  for (const { name, parents, join, byPeriod } of graph.values()) {
    if (join === 'any' || byPeriod || parents.length < 2) continue
    const sources = [...sourcesOf(graph, parents)].sort()
    if (sources.length === 1) continue
    const who = name === changed ? 'its parents' : `the parents of "${name}"`
    throw refused(
      changed,
      `${who} go back to ${sources.map((source) => `"${source}"`).join(' and ')}, whose runs do not belong together.`,
      "Say by what period they are joined, such as per: 'day', or use join: 'any'.",
    )
  }
}

/** The way back to the job, beginning and ending with it; null where there is none. */
export function cycleThrough(graph: Graph, name: string): string[] | null {
  const seen = new Set<string>()
  const wayFrom = (job: string): string[] | null => {
    for (const parent of graph.get(job)?.parents ?? []) {
      if (parent === name) return [job, parent]
      if (seen.has(parent)) continue
      seen.add(parent)
      const way = wayFrom(parent)
      if (way !== null) return [job, ...way]
    }
    return null
  }
  return wayFrom(name)
}

/** Where the runs of these jobs begin: jobs that come after none, or that begin anew with each period. */
function sourcesOf(graph: Graph, names: readonly string[]): Set<string> {
  const sources = new Set<string>()
  const seen = new Set<string>()
  const open = [...names]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    const job = graph.get(name)
    if (job === undefined || job.byPeriod || job.parents.length === 0) sources.add(name)
    else open.push(...job.parents)
  }
  return sources
}

function refused(job: string, message: string, next: string): EvertickError {
  return new EvertickError('invalid_definition', `Job "${job}": ${message}`, { field: 'after', next })
}
