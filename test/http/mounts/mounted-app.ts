/** What holds wherever the API is mounted: run against a real server of each framework, on a port of its own. */
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accessOf } from '../../../src/http/mounts/server.ts'
import { defineJob, Evertick, type Logger } from '../../../src/index.ts'
import { exchange, lines, statusesIn } from '../raw-socket.ts'

export const secrets = ['a-secret-of-the-tests-0123456789-abcdefghij']

/** Where the mounted API stands, and who ends it. */
export interface Mounted {
  readonly origin: string
  /** Ends the app, without the Evertick. */
  readonly close: () => Promise<void>
}

export type Mount = (evertick: Evertick) => Promise<Mounted>

export interface Scene extends Mounted {
  readonly evertick: Evertick
  readonly token: string
  readonly logged: readonly string[]
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>
}

/** The node is open, not started, and has no role `api`. */
export async function openScene(mount: Mount): Promise<Scene> {
  const logged: string[] = []
  const write = (message: string, details?: object) => logged.push(`${message} ${JSON.stringify(details)}`)
  const logger: Logger = { debug: write, info: write, warn: write, error: write }
  const greet = defineJob({ name: 'greet', run: () => 'hello' })
  const evertick = await Evertick.open({ database: 'sqlite::memory:', jobs: [greet], logger })
  const mounted = await mount(evertick)
  onTestFinished(async () => {
    await evertick.stop()
    await mounted.close()
  })
  await evertick.jobs.create({ name: 'made' })
  const { token } = await accessOf(evertick, { secrets }).createToken({ role: 'admin' })
  const send = async (path: string, init: RequestInit) =>
    await fetch(`${mounted.origin}${path}`, { redirect: 'manual', ...init })
  const bearer = { authorization: `Bearer ${token}` }
  return {
    ...mounted,
    evertick,
    token,
    logged,
    get: (path, headers = bearer) => send(path, { headers }),
    post: (path, body, headers = bearer) =>
      send(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}

export async function listening(server: Server): Promise<string> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Of an app that answers `the app` everywhere but below `base`. */
export function describeMount(name: string, base: string, mount: Mount): void {
  describe(`mounted: ${name}`, () => {
    test('what is below the base path is the API, what is not is left to the app', async () => {
      const { get } = await openScene(mount)
      expect(await (await get(`${base}/api/v1/jobs/made`)).json()).toMatchObject({ name: 'made' })
      const missing = await get(`${base}/nothing`)
      expect([missing.status, await missing.json()]).toEqual([
        404,
        expect.objectContaining({ code: 'route_not_found' }),
      ])
      for (const path of ['/api/v1/jobs', '/livez', `${base}x/livez`]) {
        expect([path, await (await get(path)).text()]).toEqual([path, 'the app'])
      }
    })

    test('guards stand in front of it', async () => {
      const { get, post } = await openScene(mount)
      expect((await get(`${base}/api/v1/jobs`, {})).status).toBe(401)
      expect((await get(`${base}/livez`, {})).status).toBe(200)
      expect(
        (await post(`${base}/api/v1/jobs/made/pause`, {}, { authorization: 'Bearer x.y.z' })).status,
      ).toBe(401)
    })

    test('bodies arrive, whatever the app has read of them', async () => {
      const { post } = await openScene(mount)
      const made = await post(`${base}/api/v1/jobs`, { name: 'posted', schedule: { every: '1h' } })
      expect(made.status).toBe(201)
      const { id } = (await made.json()) as { id: string }
      expect(made.headers.get('location')).toBe(`${base}/api/v1/jobs/${id}`)
      const wrong = await post(`${base}/api/v1/jobs`, { name: 'posted', shedule: null })
      expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ field: 'shedule' })])
      expect((await post(`${base}/api/v1/jobs/posted/pause`, {})).status).toBe(200)
    })

    test('its pages and its document stay below the base path', async () => {
      const { get } = await openScene(mount)
      for (const path of [base, `${base}/`]) {
        const root = await get(path)
        expect([path, root.status]).toEqual([path, 200])
        // A checkout may not have built it yet.
        expect(await root.text()).toMatch(new RegExp(`<base href="${base}/" />|is being built`))
      }
      const page = await (await get(`${base}/docs`)).text()
      for (const [, name] of page.matchAll(/\b(?:src|href)="([^"]*)"/g)) {
        const url = new URL(name ?? '', `http://app${base}/docs`)
        expect([name, url.pathname.startsWith(`${base}/`)]).toEqual([name, true])
        expect([name, (await get(url.pathname)).status]).toEqual([name, 200])
      }
      expect(await (await get(`${base}/openapi.json`)).json()).toMatchObject({ servers: [{ url: base }] })
    })

    test('a sign-in by link sets a cookie for the base path alone', async () => {
      const { evertick, origin, get, post } = await openScene(mount)
      const { code } = await accessOf(evertick, { secrets }).createLink({ role: 'operator' })
      const signedIn = await post(`${base}/api/v1/session`, { code }, { origin })
      const set = signedIn.headers.get('set-cookie') ?? ''
      expect(set).toContain(`HttpOnly; SameSite=Strict; Path=${base};`)
      const cookie = set.split(';')[0] ?? ''
      expect((await get(`${base}/api/v1/session`, { cookie })).status).toBe(200)
      expect((await post(`${base}/api/v1/jobs/made/pause`, {}, { cookie })).status).toBe(403)
      expect((await post(`${base}/api/v1/jobs/made/pause`, {}, { cookie, origin })).status).toBe(200)
      const out = await fetch(`${origin}${base}/api/v1/session`, {
        method: 'DELETE',
        headers: { cookie, origin },
      })
      expect(out.headers.get('set-cookie')).toContain(`Path=${base}; Max-Age=0`)
    })

    test('events stream, and end when the app closes; the Evertick lives on', async () => {
      const { evertick, get, post, close } = await openScene(mount)
      const stream = textOf(await get(`${base}/api/v1/events`))
      await until(stream, 'retry:')
      await post(`${base}/api/v1/jobs/made/pause`, {})
      await until(stream, '"job":"made"')
      await Promise.all([close(), untilEnd(stream)])
      await expect(evertick.ping()).resolves.toBeUndefined()
    })

    test('events end when the Evertick stops, and later calls are told to go elsewhere', async () => {
      const { evertick, get } = await openScene(mount)
      const stream = textOf(await get(`${base}/api/v1/events`))
      await until(stream, 'retry:')
      await Promise.all([evertick.stop(), untilEnd(stream)])
      const late = await get(`${base}/api/v1/jobs`)
      expect([late.status, await late.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'not_running' }),
      ])
    })
  })
}

/** The guard of our own server, where the framework hands over what came in. */
export function describeTargets(name: string, mount: Mount): void {
  test(`${name}: a target that a proxy may have read in another way is refused`, async () => {
    const { origin } = await openScene(mount)
    const { host } = new URL(origin)
    const status = async (target: string) =>
      statusesIn(
        await exchange(origin, lines(`GET ${target} HTTP/1.1`, `Host: ${host}`, 'Connection: close')),
      )
    expect(await status('/jobs/livez')).toEqual([200])
    for (const target of [
      '/jobs/x/../livez',
      '/jobs/%2e%2e/jobs/livez',
      '/jobs/.%2E/jobs/livez',
      '/jobs/./livez',
      'http://elsewhere.example/jobs/livez',
    ]) {
      expect([target, await status(target)]).toEqual([target, [400]])
    }
  })
}

interface TextStream {
  readonly reader: ReadableStreamDefaultReader<string>
  heard: string
}

function textOf({ body }: Response): TextStream {
  if (body === null) throw new Error('There is no stream.')
  return { reader: body.pipeThrough(new TextDecoderStream()).getReader(), heard: '' }
}

async function until(stream: TextStream, text: string): Promise<void> {
  while (!stream.heard.includes(text)) {
    const { done, value } = await stream.reader.read()
    if (done) throw new Error(`ended before ${text}: ${stream.heard}`)
    stream.heard += value
  }
}

async function untilEnd({ reader }: TextStream): Promise<void> {
  while (!(await reader.read()).done);
}
