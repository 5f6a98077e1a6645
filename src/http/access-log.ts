/** One debug line for each request. It names the route, not the URL: a path or a query may contain secrets. */
import type { Logger } from '../engine/logger.ts'

/** What is learned about a request while it is handled. */
export interface Seen {
  /** `/api/v1/jobs/{id}`; null if no route matches. */
  route: string | null
  /** null before the caller is known. */
  actor: string | null
}

export function logAccess(
  logger: Logger,
  request: Request,
  { status }: Response,
  { seen, remote, ms }: { readonly seen: Seen; readonly remote: string; readonly ms: number },
): void {
  const { route, actor } = seen
  const { method } = request
  logger.debug(`${method} ${route ?? '(no route)'} ${status}`, {
    method,
    route,
    status,
    ms: Math.round(ms * 10) / 10,
    actor,
    remote,
  })
}
