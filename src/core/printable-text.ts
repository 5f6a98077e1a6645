/** Makes text from elsewhere safe to show: control, direction and invisible characters are spelled out. */

/** Line ends and tabs give a text its form. Joiners stay, too: letters and emoji need them. */
const steering =
  /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u00ad\u200b\u2028\u2029\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

/** As JSON spells them, `\u001b`: a JSON text stays the same data. */
export function printableText(text: string): string {
  return text.replaceAll(steering, (characters) => characters.split('').map(spelled).join(''))
}

/** Leaves them out, for a name. */
export function withoutSteering(text: string): string {
  return text.replaceAll(steering, '')
}

function spelled(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}
