/** The path that an API stands below, where it is not alone on its host: `/jobs`; empty at the root. */
import { getPath } from 'hono/utils/url'
import { basePathPattern } from '../app/config/api-config.ts'

/** The path of a request below the base path; null where it is elsewhere. */
export function pathBelow(request: Request, basePath: string): string | null {
  const path = getPath(request)
  if (basePath === '') return path
  if (!basePathPattern.test(basePath) || !path.startsWith(basePath)) return null
  const rest = path.slice(basePath.length)
  if (rest === '') return '/'
  return rest.startsWith('/') ? rest : null
}

/** Routes and pages know nothing of the base path: where an answer leads, it is put in front. */
export function rebase({ headers }: Response, basePath: string): void {
  const location = headers.get('location')
  if (location?.startsWith('/') === true) headers.set('location', `${basePath}${location}`)
}
