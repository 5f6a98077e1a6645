/** The role `api`: the only file of the library that knows the server, and loads it when it is asked for. */
import type { Logger } from '../engine/logger.ts'
import type { ApiConfig } from './api-config.ts'
import type { Evertick } from './evertick.ts'

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
