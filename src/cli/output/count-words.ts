/** "1 tick", "1,204 ticks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** "812 B", "3.4 MB": in thousands. */
export function bytesWords(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const unit = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const size = bytes / 1_000 ** unit
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}

/** "98.3 %"; a dash for none. */
export function percentWords(share: number | null): string {
  return share === null ? '–' : `${(share * 100).toFixed(1)} %`
}

/** "a, b and c". */
export function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
