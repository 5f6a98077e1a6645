/** Where somebody wanted to go before signing in: a path of ours, or the start page. */

const longestPath = 2_000
const start = '/'

/**
 * A browser reads `//host`, `/\host` and the like as another server, also once dots are taken out; the parser of URLs
 * reads them as it does.
 */
export function ownPath(given: string | null): string {
  if (given === null || given.length > longestPath || !/^\/[\x21-\x7e]*$/.test(given) || given.includes('\\'))
    return start
  const here = 'http://evertick.invalid'
  if (!URL.canParse(given, here)) return start
  const { origin, pathname, search, hash } = new URL(given, here)
  return origin === here && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : start
}
