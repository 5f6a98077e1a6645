/** The path that the API is mounted at, such as `/jobs`; empty at the root. */
import { getPath } from 'hono/utils/url'
import { basePathPattern } from '../app/config/api-config.ts'

/** The path of a request below the base path; null if it is not below it. */
export function pathBelow(request: Request, basePath: string): string | null {
  const path = getPath(request)
  if (basePath === '') return path
  if (!basePathPattern.test(basePath) || !path.startsWith(basePath)) return null
  const rest = path.slice(basePath.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : null
}

/** Routes and pages do not know the base path: it is added to the `Location` of an answer. */
export function rebase({ headers }: Response, basePath: string): void {
  const location = headers.get('location')
  if (location?.startsWith('/') === true) headers.set('location', `${basePath}${location}`)
}
