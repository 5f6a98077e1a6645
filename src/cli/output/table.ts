/** Tables: aligned on a terminal, tab-separated for programs. */
import { withoutColour } from './colour.ts'
import { cut, plainText, widthOf } from './plain-text.ts'
import type { Stream } from './terminal.ts'

/** A title alone, or with how the column is laid out. */
export type Column = string | ColumnLayout

interface ColumnLayout {
  readonly title: string
  readonly align?: 'right'
  /** Cut if the terminal is too narrow. */
  readonly shrinks?: true
  /** Left out if that is not enough; the last one first. */
  readonly optional?: true
}

export type Cell = string

const gap = '  '
/** A shorter text would say too little. */
const narrowest = 16

export function writeTable(
  out: Stream,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): void {
  if (!out.tty) {
    out.write(columns.map((column) => layoutOf(column).title).join('\t'))
    for (const row of rows) out.write(row.map(plainText).join('\t'))
    return
  }
  for (const line of tableLines(columns, rows, out.columns, (title) => out.paint('dim', title)))
    out.write(line)
}

function layoutOf(column: Column): ColumnLayout {
  return typeof column === 'string' ? { title: column } : column
}

/** The lines of an aligned table. */
export function tableLines(
  columns: readonly Column[],
  cells: readonly (readonly Cell[])[],
  space: number,
  paintTitle: (title: string) => string,
): string[] {
  const rows = cells.map((row) => row.map(plainText))
  const measured = columns.map(layoutOf).map((column, index) => ({
    ...column,
    index,
    width: widest([column.title, ...rows.map((row) => row[index] ?? '')]),
  }))
  const shown = shrunk(withoutOptional(measured, space), space)
  const line = (row: readonly Cell[]) =>
    shown
      .map(({ index, width, align }) => padded(row[index] ?? '', width, align))
      .join(gap)
      .trimEnd()
  return [line(measured.map(({ title }) => paintTitle(title))), ...rows.map(line)]
}

/** Names and values, one pair per line; pairs without a value are left out. */
export function writePairs(out: Stream, pairs: readonly (readonly [string, Cell | null])[]): void {
  const shown = pairs.filter((pair): pair is [string, Cell] => pair[1] !== null && pair[1] !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  for (const [name, given] of shown) {
    const value = plainText(given)
    out.write(out.tty ? `${out.paint('dim', name.padEnd(width))}${gap}${value}` : `${name}\t${value}`)
  }
}

export function padded(text: Cell, width: number, align?: 'right'): string {
  const shown = widthOf(text) > width ? cut(withoutColour(text), width) : text
  const fill = ' '.repeat(Math.max(0, width - widthOf(shown)))
  return align === 'right' ? fill + shown : shown + fill
}

/** Not Math.max(...): a list may have more items than a call can have arguments. */
export function widest(texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.max(width, widthOf(text)), 0)
}

interface MeasuredColumn extends ColumnLayout {
  readonly index: number
  readonly width: number
}

function total(columns: readonly MeasuredColumn[], widthOfOne: (column: MeasuredColumn) => number): number {
  return columns.reduce((sum, column) => sum + widthOfOne(column), gap.length * (columns.length - 1))
}

function withoutOptional(columns: readonly MeasuredColumn[], space: number): readonly MeasuredColumn[] {
  const least = ({ shrinks, width }: MeasuredColumn) => (shrinks ? Math.min(width, narrowest) : width)
  let kept = columns
  while (total(kept, least) > space) {
    const last = kept.findLast(({ optional }) => optional)
    if (last === undefined) break
    kept = kept.filter((column) => column !== last)
  }
  return kept
}

/** The widest column that can shrink does so first. */
function shrunk(columns: readonly MeasuredColumn[], space: number): readonly MeasuredColumn[] {
  const widths = new Map(columns.map((column) => [column, column.width]))
  const widthNow = (column: MeasuredColumn) => widths.get(column) ?? 0
  while (total(columns, widthNow) > space) {
    const [first] = columns.filter(({ shrinks }) => shrinks).toSorted((a, b) => widthNow(b) - widthNow(a))
    if (first === undefined || widthNow(first) <= narrowest) break
    widths.set(first, widthNow(first) - 1)
  }
  return columns.map((column) => ({ ...column, width: widthNow(column) }))
}
