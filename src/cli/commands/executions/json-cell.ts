/** A value as JSON in one cell, cut where it is long. */
import { plainText } from '../../output/plain-text.ts'

const shownJson = 500

export function jsonCell(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = plainText(JSON.stringify(value))
  return text.length > shownJson ? `${text.slice(0, shownJson)}… (--json shows it all)` : text
}
