import { EvertickError } from '../../error.ts'

/** A piece of a cron text and where it stands, so that every refusal can point at it. */
export interface CronPart {
  /** The whole expression, as written. */
  readonly expression: string
  readonly text: string
  /** 0-based. */
  readonly at: number
}

/** `minute: "61" is outside 0-59 (character 1 of "61 * * * *")`. */
export function cronError(field: string, part: CronPart, what: string, next?: string): EvertickError {
  const place = `character ${part.at + 1} of ${JSON.stringify(part.expression)}`
  return new EvertickError('invalid_cron', `${field}: ${JSON.stringify(part.text)} ${what} (${place})`, {
    field: 'cron',
    next: next ?? 'See docs/reference/cron.md for what each field takes.',
  })
}

/** The parts between the separators, each with its place. Empty parts are kept: they are mistakes to name. */
export function splitPart(part: CronPart, separator: string): CronPart[] {
  let at = part.at
  return part.text.split(separator).map((text) => {
    const piece = { expression: part.expression, text, at }
    at += text.length + separator.length
    return piece
  })
}
