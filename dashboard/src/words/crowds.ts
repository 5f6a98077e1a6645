/** Instants at which so many jobs are due that they compete for workers and services. */
const fewest = 5

/** The pile-ups worth a warning: at least half as large as the largest. Expects the largest first. */
export function crowdsOf<PileUp extends { readonly count: number }>(pileUps: readonly PileUp[]): PileUp[] {
  const worst = pileUps[0]?.count ?? 0
  return pileUps.filter(({ count }) => count >= Math.max(fewest, worst / 2))
}
