/**
 * MySQL's own: many rows as one JSON parameter of a constant text, for jobs, which have no number for a key: every round
 * trip costs as much as the work. Also how many rows fit into one statement, and which of them it has changed.
 */
import { keysOf } from '../../core/table-keys.ts'
import { idsOf } from '../sql/runtime/rows.ts'
import { type Param, plain, type Row, type Script } from '../sql/runtime/script.ts'
import type { Claim } from '../store.ts'

/** A column's type, as JSON_TABLE reads it. */
export type BatchColumns<Name extends string> = Readonly<Record<Name, string>>

export type BatchRow<Name extends string> = Readonly<Record<Name, Param>>

/** Stands in FROM, JOIN and UPDATE, under the name `c`. */
export function batchText(columns: BatchColumns<string>): string {
  const paths = Object.entries(columns).map(([name, type], index) => `${name} ${type} PATH '$[${index}]'`)
  return `JSON_TABLE(?, '$[*]' COLUMNS (${paths.join(', ')})) c`
}

/** Its parameter. Without the names, which a thousand rows would repeat. */
export function batchJson<Name extends string>(
  columns: BatchColumns<Name>,
  rows: readonly BatchRow<Name>[],
): string {
  const names = keysOf(columns)
  return JSON.stringify(rows.map((row) => names.map((name) => plain(row[name]))))
}

/**
 * Which claims an update has changed. It says how many, nearly always all. If they are fewer, `find` reads which, by what
 * the update has written: a row that says the same under the same fence can only be of the same holder, who asks twice.
 */
export function* whichOf(
  claims: readonly Claim[],
  changed: number,
  find: () => Script<Row[]>,
): Script<ReadonlySet<string>> {
  if (changed === claims.length) return new Set(claims.map(({ id }) => id))
  return changed === 0 ? new Set() : idsOf(yield* find())
}

/**
 * A statement holds its values: beyond max_allowed_packet (16 MB by default) the server hangs up. The driver escapes
 * quotes and backslashes, and a batch within JSON has escaped them before, so that a value becomes four times as long at
 * worst. A batch fits into the smallest packet then, and a result that is alone in its batch into half of its own. The
 * other half is for rows with several payloads: an input with metadata, a job before and after its change.
 */
export const smallestPacket = 1_048_576
export const packetsShare = 8
const maxRows = 500
const maxBytes = 200_000

/** In order, and none longer than a statement may be; without values, what counts is how many they are. */
export function chunksOf<Item>(
  items: readonly Item[],
  valuesOf: (item: Item) => readonly Param[] = () => [],
): Item[][] {
  const chunks: Item[][] = []
  let bytes = 0
  for (const item of items) {
    const more = bytesOf(valuesOf(item))
    const last = chunks.at(-1)
    if (last === undefined || last.length >= maxRows || bytes + more > maxBytes) {
      chunks.push([item])
      bytes = more
    } else {
      last.push(item)
      bytes += more
    }
  }
  return chunks
}

function bytesOf(values: readonly Param[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? Buffer.byteLength(value) : 8),
    0,
  )
}
