/** A person signs in at a real provider, does something under their own name, and signs out again. */
import { expect, onTestFinished, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { freePort } from '../http/sign-in/people-node.ts'
import { type RealProvider, realProvider } from '../http/sign-in/real-provider.ts'
import { type LiveNode, openLiveNode, secrets } from './live-node.ts'
import { desk, openPage, phone, settled, tooWide } from './open-page.ts'

async function openScene(basePath: string): Promise<{ node: LiveNode; provider: RealProvider }> {
  const port = await freePort()
  const provider = await realProvider({ app: `http://127.0.0.1:${port}${basePath}` })
  const oidc = {
    issuer: provider.issuer,
    clientId: 'evertick',
    name: 'Acme',
    roles: { operator: ['group:ops'] },
    scope: 'openid profile email groups',
  }
  const node = await openLiveNode({
    api: { host: '127.0.0.1', port, basePath, secrets, oidc },
    jobs: [defineJob({ name: 'report', schedule: { every: '1h' }, run: () => 'done' })],
  })
  onTestFinished(() => node.stop())
  return { node, provider }
}

/** The first answer of a page that nobody is signed in to; and that it was at the provider, which is elsewhere. */
const ownProblems = (problems: readonly string[]) =>
  problems.filter((each) => !/status of 401|^elsewhere: |favicon|status of 404/.test(each))

test.each([
  ['at the root', ''],
  ['below a path', '/x/y'],
])(
  'signs in with a click, comes back to where they were going, and is called by name: %s',
  async (_where, basePath) => {
    const { node, provider } = await openScene(basePath)
    const { origin } = new URL(node.url)
    const { page, problems } = await openPage(origin)
    await page.goto(`${basePath}/jobs/report/schedule`)
    await page.getByRole('link', { name: 'Continue with Acme' }).click()
    await page.getByRole('heading', { name: 'The provider' }).waitFor()
    expect(page.url()).toContain(provider.issuer)
    await page.getByRole('link', { name: 'Ana María' }).click()
    await page.getByRole('heading', { level: 1, name: 'report' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`${basePath}/jobs/report/schedule`)
    await settled(page)

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('moving house')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click()
    await page
      .getByRole('status')
      .filter({ hasText: /Paused by Ana María, .+: moving house/ })
      .waitFor()
    await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
    await page.getByText(/^Paused by Ana María, /).waitFor()
    await page.goto(`${basePath}/audit/log`)
    await page.getByRole('cell', { name: 'Ana María' }).first().waitFor()

    await page.getByRole('button', { name: 'Signed in as Ana María, operator' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL((url) => url.origin === provider.issuer)
    await page.getByRole('button', { name: /Yes, sign me out/ }).click()
    await page.getByRole('link', { name: 'Continue with Acme' }).waitFor()
    expect(page.url()).toBe(`${origin}${basePath}/`)
    expect(await page.context().cookies(origin)).toEqual([])
    expect(ownProblems(problems)).toEqual([])
  },
)

test.each([
  ['desk', desk],
  ['phone', phone],
] as const)('who has no role reads who they are and whom to ask: %s', async (_where, size) => {
  const { node } = await openScene('')
  const { page } = await openPage(new URL(node.url).origin, size)
  await page.goto('/')
  await page.getByRole('link', { name: 'Continue with Acme' }).click()
  await page.getByRole('link', { name: 'Eve' }).click()
  await page.getByRole('alert').filter({ hasText: 'Acme says that you are Eve <u-eve>' }).waitFor()
  expect(await tooWide(page)).toBe(0)
  await page.getByRole('link', { name: 'Back to the sign-in page' }).click()
  await page.getByRole('link', { name: 'Continue with Acme' }).waitFor()
})

test('a name that is markup is text, wherever it is shown', async () => {
  const { node } = await openScene('')
  const { page, problems } = await openPage(new URL(node.url).origin)
  await page.goto('/settings')
  await page.getByRole('link', { name: 'Continue with Acme' }).click()
  await page.getByRole('link', { name: 'onerror' }).click()
  const shown = '" img src=x onerror=alert(1) {{7*7}}'
  await page.getByText(shown, { exact: true }).waitFor()
  await node.evertick.jobs.pause('report', { actor: `session:${shown} <u-mal>` })
  for (const path of ['/jobs', '/jobs/report', '/jobs/report/audit', '/audit/log']) {
    await page.goto(path)
    await page.getByText(shown).first().waitFor()
  }
  expect(await page.locator('main img').count()).toBe(0)
  expect(ownProblems(problems)).toEqual([])
})

test('where the provider is down, the sign-in page says so, and a link still works', async () => {
  const { node, provider } = await openScene('')
  await provider.close()
  const { page } = await openPage(new URL(node.url).origin)
  await page.goto('/')
  await page
    .getByRole('status')
    .filter({ hasText: /^Nobody can sign in at 127\.0\.0\.1:\d+ now\./ })
    .waitFor()
  await page.getByLabel('Link or code').fill(await node.link())
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  expect(await page.getByRole('button', { name: 'Signed in as ana, admin' }).count()).toBe(1)
})
