/**
 * MySQL's own: the rows of claims, written by their primary keys in a plain UPDATE. What differs from row to row stands at
 * the row's place in the list of keys. A join with the batch as JSON took the server a fifth longer (20 us for an end, now
 * 17): it notes down each row that it finds, and looks for it again to write it.
 */
import { number, text } from '../sql/runtime/rows.ts'
import { look, type Param, type Row, type Script } from '../sql/runtime/script.ts'
import type { Claim } from '../store.ts'

export type Held<Claimed extends Claim = Claim> = Claimed & { readonly seq: number }

/** By the key, or a small table is scanned, and waits for the rows of others. */
export const heldRows = '@live_executions e FORCE INDEX (PRIMARY)'

/**
 * A row's own value out of a list: that of the last key which is not above its own. The keys are in order, so that it is found
 * by halves.
 */
export const ownValue = 'ELT(INTERVAL(e.seq, ?), ?)'

/** The parameters of `ownValue`. Rows in a run that agree share one value: most ends of a batch differ in their ids alone. */
export function valuesOf<Keyed extends { readonly seq: number }>(
  rows: readonly Keyed[],
  valueOf: (row: Keyed) => string | number | null,
): Param[] {
  const keys: number[] = []
  const values: (string | number | null)[] = []
  for (const row of rows) {
    const value = valueOf(row)
    if (keys.length > 0 && value === values.at(-1)) continue
    keys.push(row.seq)
    values.push(value)
  }
  return [keys, values]
}

/** Names each claim whole: the key only leads to the row. */
export const underClaim = `e.seq IN (?) AND e.id = ${ownValue} AND e.fence = ${ownValue}`

/** The parameters of `underClaim`. */
export function claimsOf(rows: readonly Held[]): Param[] {
  return [seqsOf(rows), ...valuesOf(rows, ({ id }) => id), ...valuesOf(rows, ({ fence }) => fence)]
}

export function seqsOf(rows: readonly { readonly seq: number }[]): number[] {
  return rows.map(({ seq }) => seq)
}

export function inOrder<Keyed extends { readonly seq: number }>(rows: readonly Keyed[]): Keyed[] {
  return rows.toSorted((a, b) => a.seq - b.seq)
}

/** Beyond this many it starts over: a key not kept only costs a look. */
const maxKept = 20_000

const seqText = 'SELECT id, seq FROM @live_executions WHERE id IN ?*'

/** The primary keys of what this process has claimed; a row keeps its own for ever. */
export class KnownSeqs {
  readonly #kept = new Map<string, number>()

  note(rows: readonly Row[]): void {
    if (this.#kept.size + rows.length > maxKept) this.#kept.clear()
    for (const { id, seq } of rows) this.#kept.set(text(id), number(seq))
  }

  /** In the order of the keys, so that two batches which meet take their rows in the same order. Without those that are gone. */
  *of<Claimed extends Claim>(claims: readonly Claimed[]): Script<Held<Claimed>[]> {
    const unknown = claims.filter(({ id }) => !this.#kept.has(id)).map(({ id }) => id)
    const found = unknown.length === 0 ? [] : yield* look(seqText, unknown)
    const read = new Map(found.map(({ id, seq }) => [text(id), number(seq)]))
    return inOrder(
      claims.flatMap((claim) => {
        const seq = this.#kept.get(claim.id) ?? read.get(claim.id)
        return seq === undefined ? [] : [{ ...claim, seq }]
      }),
    )
  }
}
