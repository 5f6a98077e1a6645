/** The API of an open Evertick inside the user's server: with the same guards. It ends with the Evertick or before it. */
import { openAccess } from '../../app/access/open-access.ts'
import { contextOf } from '../../app/app-context.ts'
import { type ApiOptions, type MountOptions, mountConfig } from '../../app/config/api-config.ts'
import { EvertickError } from '../../core/error.ts'
import type { Evertick } from '../../evertick.ts'
import { type Api, createApi, type Fetch } from '../api.ts'
import { settingsOf } from '../api-options.ts'
import { errorResponse } from '../problem.ts'

export function mountedApi(evertick: Evertick, options: MountOptions & Pick<ApiOptions, 'basePath'>): Api {
  const config = mountConfig(options)
  const app = contextOf(evertick)
  const access = openAccess(app, config)
  // The app decides which host names it answers to, unless it names some here: our cookie reaches no other host.
  const hosts = config.hosts.length === 0 ? null : config.hosts
  const api = createApi({ evertick, app, access, logger: app.logger, ...settingsOf(config), hosts })
  let closing: Promise<void> | null = null
  const close = async () => {
    closing ??= api.close()
    takeOff()
    await closing
  }
  const takeOff = app.onStop(close)
  const fetch: Fetch = async (...given) => (closing === null ? await api(...given) : errorResponse(stopped()))
  return Object.assign(fetch, { close })
}

function stopped(): EvertickError {
  return new EvertickError('not_running', 'This server is stopping.', { next: 'Ask another node.' })
}
