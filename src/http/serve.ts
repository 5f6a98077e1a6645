/** Listens: the API of one node on one port. */
import type { Server } from 'node:http'
import { openAccess } from '../app/access/open-access.ts'
import type { AppContext } from '../app/app-context.ts'
import type { RunningApi } from '../app/cluster/live-node.ts'
import type { ApiConfig } from '../app/config/api-config.ts'
import { EvertickError } from '../core/error.ts'
import { codeOf, messageOf } from '../core/unknown-value.ts'
import type { Logger } from '../engine/logger.ts'
import type { Evertick } from '../evertick.ts'
import { createApi, type Fetch } from './api.ts'
import { type ApiOptions, settingsOf } from './api-options.ts'
import { answeredHosts } from './guard/origin.ts'
import { nodeServer } from './node-server.ts'

/** How many ports after the usual one are tried where none was named. */
const portsTried = 20
/** How long a closing server waits for answers under way. */
const answerMs = 5_000
const idleMs = 20

/** The role `api`. */
export async function serveApi(evertick: Evertick, app: AppContext, config: ApiConfig): Promise<RunningApi> {
  return await serve({ evertick, app, access: openAccess(app, config), logger: app.logger }, config)
}

export async function serve(
  given: Pick<ApiOptions, 'evertick' | 'app' | 'access' | 'logger'>,
  config: ApiConfig,
): Promise<RunningApi> {
  const hosts = answeredHosts(config.host, config.hosts)
  const { basePath } = config
  const api = createApi({ ...given, ...settingsOf(config), hosts })
  const server = await listen(api, config, given.logger)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : config.port
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  return {
    url: `http://${host}:${port}${basePath}`,
    close: async () => {
      await api.close()
      await closed(server)
    },
  }
}

/** Requests under way are answered. A client that does not read its answer is not waited for. */
async function closed(server: Server): Promise<void> {
  const timers: NodeJS.Timeout[] = []
  await new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    // A connection becomes idle after its answer: without this, one that its client keeps open would be waited for.
    timers.push(setInterval(() => server.closeIdleConnections(), idleMs))
    timers.push(setTimeout(() => server.closeAllConnections(), answerMs))
  })
  for (const timer of timers) clearTimeout(timer)
}

async function listen(fetch: Fetch, { host, port, portIsNamed }: ApiConfig, logger: Logger): Promise<Server> {
  const ports = portIsNamed ? [port] : Array.from({ length: portsTried }, (_, index) => port + index)
  let last: unknown
  for (const candidate of ports) {
    const server = nodeServer(fetch, logger)
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(candidate, host, () => {
          server.off('error', reject)
          resolve()
        })
      })
      return server
    } catch (error) {
      last = error
      if (codeOf(error) !== 'EADDRINUSE') break
    }
  }
  throw new EvertickError('invalid_config', `Cannot listen on ${host}:${port}: ${messageOf(last)}.`, {
    field: 'port',
    next: 'Set another port with EVERTICK_PORT, or stop what listens on this one.',
    cause: last,
  })
}
