/** A caller's own connection that only knows `query(text, params)`: an ORM's, a pool's client, a wrapper. */
import type { Row, Script } from './script.ts'

export interface Queryable {
  query(text: string, params: readonly unknown[]): Promise<unknown> | unknown
}

export function isQueryable(value: object): value is Queryable {
  return typeof (value as { query?: unknown }).query === 'function'
}

/** Runs a script by awaiting each statement; drivers say how many rows changed in different words. */
export async function runAsync<T>(
  queryable: Queryable,
  script: Script<T>,
  rewrite: (text: string) => string = (text) => text,
): Promise<T> {
  let step = script.next()
  while (!step.done) {
    const { text, params, wants } = step.value
    const answer: unknown = await queryable.query(rewrite(text), params)
    step = script.next((wants === 'rows' ? rowsOf(answer) : changesOf(answer)) as Row[] & number)
  }
  return step.value
}

function rowsOf(answer: unknown): Row[] {
  if (Array.isArray(answer)) return answer as Row[]
  return (answer as { rows?: Row[] } | null)?.rows ?? []
}

function changesOf(answer: unknown): number {
  const { changes, rowCount, affectedRows } = (answer ?? {}) as Record<string, number | undefined>
  return changes ?? rowCount ?? affectedRows ?? 0
}
