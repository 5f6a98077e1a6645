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
    expect(loaded.filter((path) => !pages.some((page) => page.path === path))).toEqual([])
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

test('whoever types the address alone is led to the pages', async () => {
  const api = await openApi()
  onTestFinished(() => api.node.stop())
  const answer = await api.send('GET', '/')
  expect([answer.status, answer.headers.get('location')]).toEqual([302, '/docs'])
})
