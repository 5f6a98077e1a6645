/** A line for each request, at debug. It names the route, not the address: a path or a query may say what a log must not. */
import type { Logger } from '../engine/logger.ts'

/** What is found out about a request on its way. */
export interface Seen {
  /** `/api/v1/jobs/{id}`; null where there is no such route. */
  route: string | null
  /** null before somebody is known. */
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
