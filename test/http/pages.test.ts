/** The pages of the server need nothing from elsewhere and nothing inline, so that their policy can be strict. */
import { Script } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { docsPages } from '../../src/http/pages/docs.ts'
import { pageResponse } from '../../src/http/pages/page.ts'
import { signInPages } from '../../src/http/pages/sign-in.ts'
import { openApi } from './api-under-test.ts'

const pages = [...signInPages, ...docsPages]
const documents = pages.filter(({ type }) => type === 'text/html')

test.each(documents.map((page) => [page.path, page.text]))(
  '%s loads only what the server has',
  (_path, text) => {
    const loaded = [...text.matchAll(/\b(?:src|href)="([^"]*)"/g)].map(([, path]) => path)
    expect(loaded.length).toBeGreaterThan(2)
    expect(loaded.filter((path) => path !== './' && !pages.some((page) => page.path === `/${path}`))).toEqual(
      [],
    )
  },
)

test.each(documents.map((page) => [page.path, page.text]))('%s has nothing inline', (_path, text) => {
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:/i)
})

test.each(pages.filter(({ type }) => type === 'text/javascript').map((page) => [page.path, page.text]))(
  '%s is a script, and puts text in as text',
  (path, text) => {
    expect(() => new Script(text, { filename: path })).not.toThrow()
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/)
  },
)

test('their policy allows this server and nothing else', () => {
  for (const page of pages) {
    const policy = pageResponse(page).headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
  }
})

test('whoever types an address of the dashboard gets its page; whoever asks for data is told that there is none', async () => {
  const api = await openApi()
  onTestFinished(() => api.node.stop())
  for (const path of ['/', '/jobs/nightly']) {
    const answer = await api.send('GET', path, { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  }
  expect((await api.send('GET', '/jobs/nightly')).status).toBe(404)
  expect((await api.send('GET', '/api/v1/nothing', { headers: { accept: 'text/html' } })).status).toBe(404)
})

test.each(['..%2f..%2fpackage.json', 'index.html', '.made-of', 'a%00.js', 'nothing-here.js'])(
  'nothing but what the build made is served as a file: %s',
  async (name) => {
    const api = await openApi()
    onTestFinished(() => api.node.stop())
    expect((await api.send('GET', `/assets/${name}`)).status).toBe(404)
  },
)
