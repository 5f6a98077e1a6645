/** `evertick/fastify`: `app.register(evertickFastify, { prefix: '/jobs', evertick })`. Of Fastify it needs the types only. */
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import { contextOf } from '../../app/app-context.ts'
import type { MountOptions } from '../../app/config/api-config.ts'
import type { Evertick } from '../../evertick.ts'
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
  const addresses = new WeakMap<FastifyRequest['raw'], string>()
  const listener = nodeListener<FastifyRequest['raw']>(
    (request, incoming) => api(request, addresses.get(incoming)),
    contextOf(evertick).logger,
  )
  // Bodies are left for our own reader, within this plugin only.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
  for (const path of ['/', '/*']) {
    app.all(path, (request, reply) => {
      addresses.set(request.raw, request.ip)
      reply.hijack()
      listener(request.raw, reply.raw)
    })
  }
  // Before the server waits for its connections: a stream of events does not end by itself.
  app.addHook('preClose', () => api.close())
}
