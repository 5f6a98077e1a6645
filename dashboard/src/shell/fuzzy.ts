/** How well a text matches what somebody types: all letters in order; whole words and runs of letters score higher. */

/** null: no match. Higher is better. */
export function scoreOf(text: string, wanted: string): number | null {
  const [inside, letters] = [text.toLowerCase(), wanted.toLowerCase().replaceAll(/\s+/g, '')]
  if (letters === '') return 0
  const whole = inside.indexOf(wanted.toLowerCase().trim())
  if (whole >= 0) return 1_000 - whole * (beginsWord(inside, whole) ? 1 : 4) - inside.length / 100
  let score = 0
  let from = 0
  for (const letter of letters) {
    const at = inside.indexOf(letter, from)
    if (at < 0) return null
    if (beginsWord(inside, at)) score += 8
    else if (at === from && from > 0) score += 5
    else score -= Math.min(4, at - from)
    from = at + 1
  }
  return score - inside.length / 100
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || /[\s._/:-]/.test(text[at - 1] ?? '')
}

/** Those that match, best first; in their own order if nothing is typed. */
export function matching<Each>(all: readonly Each[], wanted: string, textOf: (each: Each) => string): Each[] {
  return all
    .flatMap((each) => {
      const score = scoreOf(textOf(each), wanted)
      return score === null ? [] : [{ each, score }]
    })
    .toSorted((a, b) => b.score - a.score)
    .map(({ each }) => each)
}
