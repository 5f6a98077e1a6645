/** The role `api`: the only file of the library that knows the server, and loads it when it is asked for. */
import type { Logger } from '../engine/logger.ts'
import type { Hint } from '../http/events/hint.ts'
import type { AppContext } from './app-context.ts'
import type { ApiConfig } from './config/api-config.ts'
import type { Evertick } from './evertick.ts'

/** That something has changed, never what it is now. */
export type Change = Hint

export interface RunningApi {
  readonly url: string
  close(): Promise<void>
}

/** What the server answers to, without one. */
export async function openapiDocument(): Promise<object> {
  return (await import('../http/openapi.ts')).openapiDocument()
}

export async function openApi(
  evertick: Evertick,
  database: string,
  config: ApiConfig,
  logger: Logger,
): Promise<RunningApi> {
  const { openAccess } = await import('./access/open-access.ts')
  const access = openAccess(evertick, database, config)
  const { serve } = await import('../http/serve.ts')
  return await serve(evertick, access, config, logger)
}

/** Tells what changes in the database, on any node, until the signal is aborted. */
export async function tellChanges(
  app: AppContext,
  logger: Logger,
  tell: (change: Change) => void,
  signal: AbortSignal,
): Promise<void> {
  const { ChangeFeed } = await import('../http/events/change-feed.ts')
  const feed = new ChangeFeed(app, logger, tell)
  feed.start()
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await feed.stop()
}
