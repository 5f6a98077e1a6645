/** The server of the settings, as a system. */
import { createClient } from '../../client/index.ts'
import { EvertickError } from '../../core/error.ts'
import type { RemoteSettings } from '../settings.ts'
import type { System } from '../system.ts'
import { remoteSystem } from './remote-system.ts'

export function openRemote({ url, from, token }: RemoteSettings): System {
  return remoteSystem(clientOf({ url, from, token }))
}

export function clientOf({ url, from, token }: RemoteSettings): ReturnType<typeof createClient> {
  if (token !== undefined) return createClient({ url, token })
  throw new EvertickError('unauthenticated', `${from} names a server, but there is no token for it.`, {
    field: 'EVERTICK_TOKEN',
    next: 'Create one on the server with `evertick token create --role operator`, and set EVERTICK_TOKEN.',
  })
}
