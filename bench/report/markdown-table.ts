export function table(head: readonly string[], rows: readonly string[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows].join('\n')
}

export function row(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}
