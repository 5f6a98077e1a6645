/** Which revisions of its job an execution has run under: what it remembers may be of an older one. */

export interface Definition {
  /** Of the job, when the execution began: its first attempt, or that of the execution whose steps it took over. */
  readonly began: number
  /** When its latest attempt began. */
  readonly revision: number
}

interface Begun {
  readonly startedAt: number | null
  readonly attempts: readonly { readonly startedAt: number | null }[]
  readonly steps: readonly { readonly attempt: number | null; readonly begunAt: number }[]
}

/** When its attempts and steps began; none where it only waits. A signal may come before anything has begun. */
export function startsOf({ startedAt, attempts, steps }: Begun): number[] {
  const begun = steps.filter(({ attempt }) => attempt !== null).map(({ begunAt }) => begunAt)
  return [startedAt, ...attempts.map((attempt) => attempt.startedAt), ...begun].filter((at) => at !== null)
}

/** Of an execution that has begun. Revisions are in their order. */
export function definitionOf(
  revisions: readonly { readonly revision: number; readonly changedAt: number }[],
  starts: readonly number[],
): Definition {
  return { began: revisionAt(Math.min(...starts)), revision: revisionAt(Math.max(...starts)) }

  function revisionAt(instant: number): number {
    const known = revisions.findLast(({ changedAt }) => changedAt <= instant) ?? revisions[0]
    return known?.revision ?? 1
  }
}
