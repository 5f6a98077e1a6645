/** `evertick/server`: the API of an open Evertick for any server that speaks `Request` and `Response`, or on a port. */
import type { Access, CreatedToken, TokenView } from '../../app/access/access.ts'
import { openAccess } from '../../app/access/open-access.ts'
import { contextOf } from '../../app/app-context.ts'
import type { RunningApi } from '../../app/cluster/live-node.ts'
import { type ApiOptions, apiConfig, type MountOptions, mountConfig } from '../../app/config/api-config.ts'
import type { Evertick } from '../../evertick.ts'
import type { From } from '../guard/proxies.ts'
import { serveApi } from '../serve.ts'
import { mountedApi } from './mounted-api.ts'

export interface ApiOfOptions extends MountOptions {
  /** The path that it stands below: `/jobs`. @default '', the root */
  readonly basePath?: string
}

export interface MountedApi {
  /**
   * `address` is that of the caller: unauthenticated calls are limited by it. `scheme` and `host` are what it asked for, where
   * a proxy has changed them.
   */
  fetch(request: Request, from?: From): Promise<Response>
  /** Ends streams of events; whatever comes later is answered with 503. A stop of the Evertick does the same. */
  close(): Promise<void>
}

export function apiOf(evertick: Evertick, options: ApiOfOptions = {}): MountedApi {
  const api = mountedApi(evertick, options)
  return {
    fetch: (request, { address, scheme, host } = {}) => api(request, { address, scheme, host }),
    close: () => api.close(),
  }
}

/** On a port of its own, without the role `api`. It closes with the Evertick, or before it. */
export async function serve(evertick: Evertick, options: ApiOptions = {}): Promise<RunningApi> {
  const app = contextOf(evertick)
  const running = await serveApi(evertick, app, apiConfig(options))
  const close = async () => {
    takeOff()
    await running.close()
  }
  const takeOff = app.onStop(close)
  return { url: running.url, close }
}

/** Creates and revokes tokens and links, with the secrets that the API is given. */
export function accessOf(
  evertick: Evertick,
  options: Pick<ApiOptions, 'secrets' | 'provider'> = {},
): Pick<Access, 'createToken' | 'listTokens' | 'revoke' | 'createLink'> {
  return openAccess(contextOf(evertick), mountConfig(options))
}

export type { ApiOptions, CreatedToken, MountOptions, RunningApi, TokenView }
