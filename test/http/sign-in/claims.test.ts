/** Those who want in, or more, by what they say of themselves to an honest provider. */
import { describe, expect, test } from 'vitest'
import { outcome, scene } from './lying-scene.ts'

describe('by what they say of themselves', () => {
  const byMail = { admin: ['email:ana@example.com'], viewer: ['domain:example.com'] }
  test.each([
    ['not verified', { email_verified: false }],
    ['of which nobody says that it is verified', { email_verified: undefined }],
    ['verified in a word, and not in fact', { email_verified: 'true' }],
    ['that only ends like the domain', { email: 'ana@evil-example.com' }],
    ['with the domain in front', { email: 'ana@example.com@evil.test' }],
    ['that is a list', { email: ['ana@example.com'] }],
  ])('an address %s gives no role', async (_what, claims) => {
    const made = await scene({ claims: { groups: [], ...claims } }, byMail)
    expect(await outcome(made)).toMatchObject({ status: 403, isIn: false })
  })

  test.each([[['OPS']], [['ops ']], ['op'], [{ ops: true }], [[['ops']]], [null]])(
    'the groups %j are not the group ops',
    async (groups) => {
      const made = await scene({ claims: { groups, email: undefined } }, { admin: ['group:ops'], viewer: [] })
      expect(await outcome(made)).toMatchObject({ status: 403, isIn: false })
    },
  )

  const names: [string, string][] = [
    ['<script>alert(1)</script>', 'script alert(1) /script'],
    ['<img src=x onerror=alert(1)>', 'img src=x onerror=alert(1)'],
    ['"><svg onload=alert(1)>', '" svg onload=alert(1)'],
    ['token:deploy', 'token deploy'],
    ['Ana <u-bob>', 'Ana u-bob'],
    ['Ana\u202egpj.exe', 'Anagpj.exe'],
    ['A\u200bn\u2060a\ufeff', 'Ana'],
    ['Ana\r\nSet-Cookie: x=1', 'Ana Set-Cookie x=1'],
    ['\u001b[31mAna\u0007', '[31mAna'],
    ['x'.repeat(10_000), `${'x'.repeat(43)}…`],
    ['\u202e\u200b', 'ana@example.com'],
    ['   ', 'ana@example.com'],
    ['A\u0301na', 'Ána'],
    ['\ud800Ana', '\ufffdAna'],
  ]
  test.each(names)('the name %j is shown as %j, and is data everywhere', async (given, shown) => {
    const made = await scene({ claims: { name: given } })
    expect(await outcome(made)).toMatchObject({ status: 302, isIn: true })
    expect(await made.whoIs(made.jar)).toMatchObject({ actor: `session:${shown} <u-ana>` })
  })

  test('on the page that refuses them, a name is text', async () => {
    const hostile = '"\'><script src=//evil.example></script>&amp;`'
    const made = await scene({ claims: { name: hostile, email: hostile, groups: [] } })
    const { status, page } = await outcome(made)
    expect(status).toBe(403)
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="theme.js">'])
    expect(page).toContain('&quot;&#39; script src=//evil.example /script &amp;amp;')
  })
})
