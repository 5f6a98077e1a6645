/** Looks for secrets in whatever is left of a run, in every form in which they might hide there. */

/** In plain, hex, base64 at each of its three offsets, URL-encoded and JSON. */
export function spellingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    // Without the characters that its neighbours have a part in.
    return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + bytes.length) * 8) / 6))
  })
  const url = encodeURIComponent(secret)
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    url,
    url.replaceAll('%20', '+'),
  ]
}

/** Where which secret was found: nowhere, if all is well. */
export function foundIn(
  places: ReadonlyMap<string, string>,
  secrets: Readonly<Record<string, string>>,
): string[] {
  return [...places].flatMap(([place, text]) =>
    Object.entries(secrets).flatMap(([slot, secret]) =>
      spellingsOf(secret).some((spelling) => text.includes(spelling)) ? [`${slot} in ${place}`] : [],
    ),
  )
}
