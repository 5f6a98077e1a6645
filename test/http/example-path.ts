/** The path of a route with something in its braces. */
export function examplePath(fullPath: string, values: Readonly<Record<string, string>> = {}): string {
  return fullPath.replaceAll(/\{(\w+)\}/g, (_braces, name: string) =>
    encodeURIComponent(values[name] ?? 'no-such-thing'),
  )
}
