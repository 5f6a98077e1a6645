/** What an audit has found, job by job: where the books do not agree with the schedule. */
export interface Finding {
  readonly job: string
  readonly what: string
  readonly at: string
  readonly until: string
  readonly count: number
}

const kindWords: Readonly<Record<string, string>> = {
  unaccounted: 'Due, but without an account',
  doubled: 'Accounted for twice',
  foreign: 'Accounted for, but no tick of the schedule',
}

export function findingsOf(found: readonly Readonly<Record<string, unknown>>[]): Finding[] {
  return found.map(({ job, kind, at, until, count }) => ({
    job: String(job),
    what: kindWords[String(kind)] ?? String(kind),
    at: String(at),
    until: String(until),
    count: Number(count),
  }))
}
