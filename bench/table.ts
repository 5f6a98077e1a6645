/** Results for programs, and for people in aligned columns. */
import type { Result } from './measure.ts'

/** The line of `--json`. The spread and the measure are for people; the line keeps to its contract. */
export function jsonLine(results: readonly Result[]): string {
  return JSON.stringify({ results: plainResults(results) })
}

export function plainResults(results: readonly Result[]): Omit<Result, 'spread' | 'measure'>[] {
  return results.map(({ spread: _, measure: __, ...result }) => result)
}

export function printTable(results: readonly Result[]): void {
  const rows = results.map((result) => [
    result.engine,
    result.name,
    figure(result.value),
    result.unit,
    spreadOf(result),
    againstOf(result),
  ])
  const all = [['engine', 'measure', 'median', 'unit', 'low - high', 'against'], ...rows]
  const widths = all.reduce<number[]>(
    (widest, row) => row.map((cell, index) => Math.max(widest[index] ?? 0, cell.length)),
    [],
  )
  for (const row of all) {
    const cells = row.map((cell, index) =>
      index === 2 ? cell.padStart(widths[index] ?? 0) : cell.padEnd(widths[index] ?? 0),
    )
    console.log(cells.join('  ').trimEnd())
  }
}

function spreadOf({ spread }: Result): string {
  return spread === undefined ? '' : spread.map(figure).join(' - ')
}

function againstOf({ ratio, against }: Result): string {
  return ratio === undefined ? '' : `${figure(ratio)}x ${against ?? ''}`
}

/** Three digits that count; zeros at the end would tell of more than is known. */
export function figure(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value)
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value >= 100
    ? Math.round(value).toLocaleString('en')
    : String(Number(value.toFixed(Math.min(4, digits))))
}

export function quantity(value: number, unit: string): string {
  if (unit === 'ms' && value >= 1_000) return quantity(value / 1_000, 's')
  return unit.startsWith('/') ? `${figure(value)}${unit}` : `${figure(value)} ${unit}`
}
