/** Tables: aligned on a terminal, tab-separated for programs. */
import { cut, widthOf } from './plain-text.ts'
import type { Stream } from './terminal.ts'

export interface Column {
  readonly title: string
  readonly align?: 'right'
  /** Gives way where the terminal is too narrow. */
  readonly shrinks?: true
}

export type Cell = string

const gap = '  '
const narrowest = 8

export function writeTable(
  out: Stream,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): void {
  if (!out.tty) {
    out.write(columns.map(({ title }) => title).join('\t'))
    for (const row of rows) out.write(row.join('\t'))
    return
  }
  for (const line of tableLines(columns, rows, out.columns, (title) => out.paint('dim', title)))
    out.write(line)
}

/** The lines of an aligned table. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  space: number,
  paintTitle: (title: string) => string,
): string[] {
  const widths = fitted(columns, rows, space)
  const line = (cells: readonly Cell[]) =>
    columns
      .map((column, index) => padded(cells[index] ?? '', widths[index] ?? 0, column.align))
      .join(gap)
      .trimEnd()
  return [line(columns.map(({ title }) => paintTitle(title))), ...rows.map(line)]
}

/** Names and values, one pair per line; pairs without a value are left out. */
export function writePairs(out: Stream, pairs: readonly (readonly [string, Cell | null])[]): void {
  const shown = pairs.filter((pair): pair is [string, Cell] => pair[1] !== null && pair[1] !== '')
  const width = Math.max(...shown.map(([name]) => name.length))
  for (const [name, value] of shown) {
    out.write(out.tty ? `${out.paint('dim', name.padEnd(width))}${gap}${value}` : `${name}\t${value}`)
  }
}

export function padded(text: Cell, width: number, align?: 'right'): string {
  const shown = widthOf(text) > width ? cut(text, width) : text
  const fill = ' '.repeat(Math.max(0, width - widthOf(shown)))
  return align === 'right' ? fill + shown : shown + fill
}

function fitted(columns: readonly Column[], rows: readonly (readonly Cell[])[], space: number): number[] {
  const widths = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[index] ?? ''))),
  )
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (columns.length - 1)) - space
  while (excess > 0) {
    // The widest of those that may shrink gives way first.
    const flexible = columns.flatMap((column, index) => (column.shrinks ? [index] : []))
    const widest = flexible.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0]
    if (widest === undefined || (widths[widest] ?? 0) <= narrowest) break
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
  return widths
}
