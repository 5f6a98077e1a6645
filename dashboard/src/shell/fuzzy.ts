/** How well a text fits what somebody types: all of it in order, words and runs of letters before single ones. */

/** null: it does not fit. More is better. */
export function fitOf(text: string, wanted: string): number | null {
  const [inside, letters] = [text.toLowerCase(), wanted.toLowerCase().replaceAll(/\s+/g, '')]
  if (letters === '') return 0
  const whole = inside.indexOf(wanted.toLowerCase().trim())
  if (whole >= 0) return 1_000 - whole * (beginsWord(inside, whole) ? 1 : 4) - inside.length / 100
  let fit = 0
  let from = 0
  for (const letter of letters) {
    const at = inside.indexOf(letter, from)
    if (at < 0) return null
    if (beginsWord(inside, at)) fit += 8
    else if (at === from && from > 0) fit += 5
    else fit -= Math.min(4, at - from)
    from = at + 1
  }
  return fit - inside.length / 100
}

function beginsWord(text: string, at: number): boolean {
  return at === 0 || /[\s._/:-]/.test(text[at - 1] ?? '')
}

/** Those that fit, the best first; in their own order where nothing is typed. */
export function fitting<Each>(all: readonly Each[], wanted: string, textOf: (each: Each) => string): Each[] {
  return all
    .flatMap((each) => {
      const fit = fitOf(textOf(each), wanted)
      return fit === null ? [] : [{ each, fit }]
    })
    .toSorted((a, b) => b.fit - a.fit)
    .map(({ each }) => each)
}
