/** The candidate nearest to what was written, if it is near enough to be meant; letter case is ignored. */
export function didYouMean(written: string, candidates: readonly string[]): string | undefined {
  const wanted = written.toLowerCase().slice(0, 64)
  let best: string | undefined
  // A third of the letters may differ; more is a guess that misleads.
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Letters to add, drop, replace or swap with their neighbour to get from a to b, given up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = swaps ? (beforeLast[j - 2] ?? 0) + 1 : limit
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? limit
}
