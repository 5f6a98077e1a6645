/** Cuts text that only people read where it is too long, and says so. Data is never cut. */

/** The length of " … 123456789 more characters". */
const markLength = 32

/** At most `most` characters, the mark among them, so that a second cut changes nothing. No surrogate pair is split. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text
  const end = most - markLength
  const splits = isHighSurrogate(text.charCodeAt(end - 1))
  const kept = text.slice(0, splits ? end - 1 : end)
  return `${kept} … ${text.length - kept.length} more characters`
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}
