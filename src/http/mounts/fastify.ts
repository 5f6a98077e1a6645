/** `evertick/fastify`: `app.register(evertickFastify, { prefix: '/jobs', evertick })`. Of Fastify it needs the types only. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { contextOf } from '../../app/app-context.ts'
import type { MountOptions } from '../../app/config/api-config.ts'
import type { Evertick } from '../../evertick.ts'
import type { From } from '../guard/proxies.ts'
import { nodeListener } from '../node-server.ts'
import { mountedApi } from './mounted-api.ts'

export interface FastifyMountOptions extends MountOptions {
  readonly evertick: Evertick
}

/** Options that Fastify itself gives to every plugin. */
const pluginOptions = ['prefix', 'logLevel', 'logSerializers']

export const evertickFastify: FastifyPluginAsync<FastifyMountOptions> = async (app, given) => {
  const { evertick, ...rest } = given
  const own = Object.entries(rest).filter(([name]) => !pluginOptions.includes(name))
  const api = mountedApi(evertick, { ...Object.fromEntries(own), basePath: app.prefix })
  const arrivals = new WeakMap<FastifyRequest['raw'], From>()
  const listener = nodeListener<FastifyRequest['raw']>(
    (request, incoming) => api(request, arrivals.get(incoming)),
    contextOf(evertick).logger,
  )
  // Bodies are left for our own reader, within this plugin only.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
  for (const path of ['/', '/*']) {
    app.all(path, (request, reply) => {
      arrivals.set(request.raw, { address: request.ip, scheme: request.protocol, host: request.host })
      reply.hijack()
      listener(request.raw, reply.raw)
    })
  }
  // Before the server waits for its connections: a stream of events does not end by itself.
  app.addHook('preClose', () => api.close())
}
