/** Where so many jobs fall due at one instant that they wait for each other, and what they call feels it. */
const fewest = 5

/** The pile-ups worth a warning: many, and of the size of the worst. Given the most crowded first. */
export function crowdsOf<PileUp extends { readonly count: number }>(pileUps: readonly PileUp[]): PileUp[] {
  const worst = pileUps[0]?.count ?? 0
  return pileUps.filter(({ count }) => count >= Math.max(fewest, worst / 2))
}
