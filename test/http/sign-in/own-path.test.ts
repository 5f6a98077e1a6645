/** After signing in people go where they wanted to, and never to another site. */
import { describe, expect, test } from 'vitest'
import { scene } from './lying-scene.ts'

describe('a way out to another site', () => {
  const elsewhere = [
    'https://evil.example/',
    'http:evil.example',
    'https:/evil.example',
    '//evil.example',
    '///evil.example',
    '////evil.example/%2e%2e',
    '/\\evil.example',
    '\\/evil.example',
    '\\\\evil.example',
    '/\\/evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '\t//evil.example',
    ' //evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
    '/%2e//evil.example',
    '/.%2e//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '@evil.example',
    '.evil.example',
    'evil.example',
    '?//evil.example',
    '#//evil.example',
    '/\u2028/evil.example',
    '/\uff0f/evil.example',
    `/${'x'.repeat(3_000)}`,
    '',
  ]
  test.each(elsewhere)('%j leads to the start page', async (to) => {
    const made = await scene()
    await made.jar.get(`${made.url}/sign-in/begin?to=${encodeURIComponent(to)}`)
    const flow = JSON.parse(
      Buffer.from((made.jar.cookie('evertick_sign_in') ?? '').split('.')[1] ?? '', 'base64url').toString(),
    ) as { flow: { to: string } }
    expect(flow.flow.to).toBe('/')
  })

  test('what looks odd and is ours stays', async () => {
    const made = await scene()
    for (const to of ['/jobs?filter=//evil.example', '/jobs/%2f%2fevil.example', '/a:b@c', '/jobs#/\u002f']) {
      await made.jar.get(`${made.url}/sign-in/begin?to=${encodeURIComponent(to)}`)
      const [, payload = ''] = (made.jar.cookie('evertick_sign_in') ?? '').split('.')
      expect(Buffer.from(payload, 'base64url').toString()).toContain(JSON.stringify(to))
    }
  })
})
