/** The API inside a real Express app, with the parsers that most apps have in front. */
import express from 'express'
import { expect, test } from 'vitest'
import { evertickExpress } from '../../../src/http/mounts/express.ts'
import { describeMount, describeTargets, listening, type Mount, openScene, secrets } from './mounted-app.ts'

function mountAt(base: string, prepare: (app: express.Express) => void = () => {}): Mount {
  return async (evertick) => {
    const app = express()
    prepare(app)
    const mount = evertickExpress(evertick, { secrets })
    app.use(base, mount)
    app.use((_request, response) => void response.status(404).send('the app'))
    const server = app.listen(0, '127.0.0.1')
    const close = async () => {
      await mount.close()
      server.closeIdleConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    return { origin: await listening(server), close }
  }
}

describeMount('express', '/jobs', mountAt('/jobs'))
describeTargets('express', mountAt('/jobs'))
describeMount('express, deeper', '/admin/jobs', mountAt('/admin/jobs'))
const json = [express.json(), express.urlencoded({ extended: true })]
describeMount(
  'express behind its parsers',
  '/jobs',
  mountAt('/jobs', (app) => app.use(json)),
)
const text = express.text({ type: '*/*' })
describeMount(
  'express behind a parser to text',
  '/jobs',
  mountAt('/jobs', (app) => app.use(text)),
)

test('the address of a caller is what the app believes it to be', async () => {
  const trusting = mountAt('/jobs', (app) => app.set('trust proxy', true))
  const { get, logged } = await openScene(trusting)
  await get('/jobs/livez', { 'x-forwarded-for': '203.0.113.7' })
  expect(logged.join('\n')).toContain('"remote":"203.0.113.7"')
  const { get: plainly, logged: others } = await openScene(mountAt('/jobs'))
  await plainly('/jobs/livez', { 'x-forwarded-for': '203.0.113.7' })
  expect(others.join('\n')).not.toContain('203.0.113.7')
})

test('a base path out of a request that could mean more than a path is not believed', async () => {
  const { get } = await openScene(mountAt('/:tenant'))
  expect((await get('/acme/livez')).status).toBe(200)
  expect((await get('/a;Domain=evil.example/livez')).status).toBe(404)
})

test('unknown options are refused', async () => {
  const { evertick } = await openScene(mountAt('/jobs'))
  expect(() => evertickExpress(evertick, { secret: 'x' } as object)).toThrow('unknown option "secret"')
  expect(() => evertickExpress(evertick, { port: 1 } as object)).toThrow('unknown option "port"')
})
