/** The API as a plugin of a real Fastify app. */
import fastify, { type FastifyServerOptions } from 'fastify'
import { expect, test } from 'vitest'
import { evertickFastify } from '../../../src/http/mounts/fastify.ts'
import { describeMount, describeTargets, type Mount, openScene, secrets } from './mounted-app.ts'

function mountAt(prefix: string, options: FastifyServerOptions = {}): Mount {
  return async (evertick) => {
    const app = fastify(options)
    await app.register(evertickFastify, { prefix, evertick, secrets })
    app.post('/echo', (request) => request.body)
    app.setNotFoundHandler((_request, reply) => reply.code(404).send('the app'))
    await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin: app.listeningOrigin, close: () => app.close() }
  }
}

describeMount('fastify', '/jobs', mountAt('/jobs'))
describeTargets('fastify', mountAt('/jobs'))
describeMount('fastify, deeper', '/admin/jobs', mountAt('/admin/jobs'))

test('the parsers of the rest of the app are as they were', async () => {
  const { post } = await openScene(mountAt('/jobs'))
  expect(await (await post('/echo', { as: 'given' })).json()).toEqual({ as: 'given' })
})

test('the address of a caller is what the app believes it to be', async () => {
  const { get, logged } = await openScene(mountAt('/jobs', { trustProxy: true }))
  await get('/jobs/livez', { 'x-forwarded-for': '203.0.113.7' })
  expect(logged.join('\n')).toContain('"remote":"203.0.113.7"')
})

test('unknown options, and a prefix that is no plain path, are refused', async () => {
  const { evertick } = await openScene(mountAt('/jobs'))
  const wrong = { evertick, prefix: '/jobs', secret: 'x' }
  await expect(fastify().register(evertickFastify, wrong).ready()).rejects.toThrow('unknown option "secret"')
  await expect(
    fastify().register(evertickFastify, { evertick, secrets, prefix: '/:tenant' }).ready(),
  ).rejects.toThrow('is not a valid base path')
})
