/** Secrets in the dashboard: one is added, used by a job, replaced and deleted, and its value is never on a page. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type LiveNode, openLiveNode } from './live-node.ts'
import { openPage, settled } from './open-page.ts'

const canary = 'Bearer canary-7f3a9c'
let node: LiveNode

beforeAll(async () => {
  vi.stubEnv('EVERTICK_SECRETS_KEY', 'a-key-of-this-test-0123456789-0123456789')
  node = await openLiveNode()
})
afterAll(async () => {
  await node.stop()
  vi.unstubAllEnvs()
})

test('a secret is added, named by a job, replaced and deleted, and no page has its value', async () => {
  const { page, problems } = await openPage(node.url, { token: await node.token('admin') })
  const seen: string[] = []
  const dialog = page.getByRole('dialog')
  const go = async (path: string) => {
    await page.goto(path)
    await settled(page)
  }
  await go('/settings')
  await page.getByRole('button', { name: 'Add secret' }).click()
  await dialog.getByLabel('Name').fill('billing-token')
  await dialog.locator('input[type=password]').fill(canary)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('row', { name: 'billing-token' })
  await row.waitFor()
  seen.push(await page.content())

  await go('/jobs/new')
  await page.getByLabel('Name', { exact: true }).fill('charge')
  await page.getByText('HTTP request').click()
  await page.getByLabel('URL', { exact: true }).fill('https://example.com/charge')
  await page.getByRole('button', { name: 'Add a header' }).click()
  await page.getByLabel('Name of header 1').fill('Authorization')
  await page.getByLabel('Kind of header 1').selectOption({ label: 'Secret' })
  await page.getByLabel('Secret of header 1').fill('billing-token')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL((url) => !url.pathname.endsWith('/new'))
  expect((await node.evertick.jobs.get('charge')).handler).toMatchObject({
    headers: { Authorization: { secret: 'billing-token' } },
  })
  await settled(page)
  seen.push(await page.content())

  await go('/settings')
  await row.getByText('charge').waitFor()
  await row.getByRole('button', { name: 'Replace' }).click()
  await dialog.locator('input[type=password]').fill(`${canary}-2`)
  await dialog.getByRole('button', { name: 'Replace', exact: true }).click()
  await page.getByText('Set secret billing-token.').waitFor()
  seen.push(await page.content())
  await row.getByRole('button', { name: 'Delete' }).click()
  await dialog.getByText('It is used by charge.').waitFor()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No secrets yet').waitFor()
  expect(await node.evertick.secrets.list()).toEqual([])
  expect(seen.filter((html) => html.includes('canary'))).toEqual([])
  expect(problems).toEqual([])
})

test('who is no administrator sees that there are secrets, and none of them', async () => {
  const { page, problems } = await openPage(node.url, { token: await node.token('operator') })
  await page.goto('/settings')
  await page.getByText('Only admins can see which there are').waitFor()
  expect(problems).toEqual([])
})
