/** Results for people, in aligned columns. */
import type { Result } from './measure.ts'

export function printTable(results: readonly Result[]): void {
  const rows = results.map((result) => [
    result.name,
    figure(result.value),
    result.unit,
    result.spread === undefined ? '' : result.spread.map(figure).join(' - '),
    result.ratio === undefined ? '' : `${figure(result.ratio)}x ${result.against ?? ''}`,
  ])
  const all = [['measure', 'median', 'unit', 'low - high', 'against'], ...rows]
  const widths = all.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    [],
  )
  for (const row of all) {
    const cells = row.map((cell, index) =>
      index === 1 ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
    )
    console.log(cells.join('  ').trimEnd())
  }
}

/** Three digits that count. */
function figure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(Math.min(4, digits))
}
