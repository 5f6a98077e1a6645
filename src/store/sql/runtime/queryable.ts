/** A caller's own connection that only knows `query(text, params)`: an ORM's, a pool's client, a wrapper. */
import type { Dialect } from './dialect.ts'
import { type Answer, asAnswer, isInsert, type Row, type Script, type Step } from './script.ts'

export interface Queryable {
  query(text: string, params: readonly unknown[]): Promise<unknown> | unknown
}

export function isQueryable(value: object): value is Queryable {
  return 'query' in value && typeof value.query === 'function'
}

/** Runs a script by awaiting each statement. */
export async function runAsync<T>(queryable: Queryable, script: Script<T>, dialect: Dialect): Promise<T> {
  let step = script.next()
  while (!step.done) {
    let answer: unknown = null
    for (const { text, params } of dialect.spell(step.value)) answer = await queryable.query(text, params)
    step = script.next(answerOf(step.value, answer))
  }
  return step.value
}

/** Drivers have different words for rows, counts and ids. */
export function answerOf(step: Step, answer: unknown): Answer {
  if (isInsert(step) || step.wants === 'locks') return asAnswer([])
  if (step.wants === 'rows') return asAnswer(rowsOf(answer))
  const { changes, rowCount, affectedRows, insertId, lastInsertRowid } = figuresOf(answer)
  if (step.wants === 'id') return asAnswer(Number(rowsOf(answer)[0]?.id ?? insertId ?? lastInsertRowid))
  return asAnswer(changes ?? rowCount ?? affectedRows ?? 0)
}

/** An array of rows, `{ rows }`, or mysql2's pair of rows and fields. */
function rowsOf(answer: unknown): Row[] {
  if (Array.isArray(answer)) return (Array.isArray(answer[0]) ? answer[0] : answer) as Row[]
  return (answer as { rows?: Row[] } | null)?.rows ?? []
}

function figuresOf(answer: unknown): Record<string, number | undefined> {
  const figures: unknown = Array.isArray(answer) ? answer[0] : answer
  return (figures ?? {}) as Record<string, number | undefined>
}
