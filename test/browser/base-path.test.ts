/** The dashboard below a path of somebody else's server: by `evertick/server`, on a plain node:http. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { signInLink } from '../../src/cli/commands/access/login.ts'
import { accessOf, apiOf } from '../../src/http/mounts/server.ts'
import { defineJob, Evertick } from '../../src/index.ts'
import { listening } from '../http/mounts/mounted-app.ts'
import { secrets } from './live-node.ts'
import { openPage, settled } from './open-page.ts'

const base = '/x/y'

/** Whatever is not below the path is the app's own, and a fault if the dashboard asks for it. */
async function openMounted() {
  const released = Promise.withResolvers<void>()
  const jobs = [defineJob({ name: 'greet', run: () => released.promise.then(() => 'hello from below') })]
  const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs })
  const api = apiOf(evertick, { basePath: base, secrets })
  const besides: string[] = []
  const answer = async (request: Request) => {
    const { pathname } = new URL(request.url)
    if (pathname.startsWith(`${base}/`)) return await api.fetch(request)
    besides.push(pathname)
    return new Response('the app', { status: 404 })
  }
  const listener = getRequestListener(answer, { overrideGlobalObjects: false })
  const server = createServer((incoming, outgoing) => void listener(incoming, outgoing))
  server.listen(0, '127.0.0.1')
  await evertick.start()
  onTestFinished(async () => {
    released.resolve()
    await evertick.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { code } = await accessOf(evertick, { secrets }).createLink({ role: 'admin' })
  const origin = await listening(server)
  return { evertick, origin, link: signInLink(`${origin}${base}`, code), release: released.resolve, besides }
}

test('below a path one signs in, goes around, comes back to a deep address, and sees what changes', async () => {
  const { origin, link, release, besides } = await openMounted()
  const { page, problems } = await openPage(origin)
  await page.goto(link)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await settled(page)
  expect(new URL(page.url()).pathname).toBe(`${base}/`)
  expect(await page.context().cookies()).toMatchObject([{ path: base }])

  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.getByRole('link', { name: 'greet' }).click()
  await page.getByRole('heading', { level: 1, name: 'greet' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/x\/y\/jobs\/./)
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'greet' }).waitFor()

  await page.getByRole('button', { name: 'Run now', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run now', exact: true }).click()
  await page
    .getByText(/^\Srunning$/)
    .first()
    .waitFor()
  release()
  await page.getByText('hello from below').waitFor()
  expect(besides).toEqual([])
  expect(problems).toEqual([])
})
