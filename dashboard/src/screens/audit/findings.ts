/** What an audit found: ticks whose account does not match the schedule. */
export interface Finding {
  readonly job: string
  readonly what: string
  readonly at: string
  readonly until: string
  readonly count: number
}

const kindWords: Readonly<Record<string, string>> = {
  unaccounted: 'Due, but not accounted for',
  doubled: 'Accounted for twice',
  foreign: 'Accounted for, but not a tick of the schedule',
}

export function findingsOf(rows: readonly Readonly<Record<string, unknown>>[]): Finding[] {
  return rows.map(({ job, kind, at, until, count }) => ({
    job: String(job),
    what: kindWords[String(kind)] ?? String(kind),
    at: String(at),
    until: String(until),
    count: Number(count),
  }))
}
