/** "1 tick", "1,204 ticks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
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
