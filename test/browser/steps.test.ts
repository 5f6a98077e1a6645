/** An execution that waits is answered in a real browser, and run again from a step. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { order } from '../http/order-job.ts'
import { until } from '../process/until.ts'
import { type LiveNode, openLiveNode } from './live-node.ts'
import { openPage, phone, settled, tooWide } from './open-page.ts'

let node: LiveNode

beforeAll(async () => {
  node = await openLiveNode({ jobs: [order] })
})
afterAll(() => node.stop())

async function waiting(): Promise<string> {
  const { id } = await node.evertick.enqueue('order')
  await until('the wait', async () => (await node.evertick.executions.get(id)).state === 'waiting')
  return id
}

const answerButton = (page: Page) => page.getByRole('button', { name: 'Answer approve' })
const stepLine = (page: Page, name: string | RegExp) =>
  page.getByRole('region', { name: 'Steps' }).getByRole('button', { name })

test('a wait is answered by keyboard with JSON that is checked first; then it says who did and what', async () => {
  const id = await waiting()
  const { page, problems } = await openPage(node.url)
  await page.goto(await node.link('operator'))
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto('/executions?filter=state:waiting')
  await page.getByRole('link', { name: 'order' }).click()
  await page.getByText('It waits for the signal "approve".').waitFor()
  await stepLine(page, /^cool off: slept \d+ ms$/).waitFor()

  await answerButton(page).press('Enter')
  const payload = page.getByLabel('Payload')
  await payload.fill('{ "ok": tru')
  await page.getByText(/^Not valid JSON: /).waitFor()
  await page.getByRole('button', { name: 'Send answer' }).press('Enter')
  await page.getByRole('dialog').waitFor()
  expect((await node.evertick.executions.get(id)).state).toBe('waiting')

  await payload.fill('{ "ok": true }')
  await page.getByRole('button', { name: 'Send answer' }).press('Enter')
  await page.getByText('Answered approve.').waitFor()
  await page
    .getByText(/^\S?completed$/)
    .first()
    .waitFor()
  expect(await answerButton(page).count()).toBe(0)
  await stepLine(page, /^approve: answered by .*ana.* after/).press('Enter')
  await page.getByText(/^Wait: answered by .*ana.* after .+, over \d\d:\d\d:\d\d/).waitFor()
  expect((await node.evertick.executions.get(id)).result).toMatchObject({ payload: { ok: true } })

  await page.getByRole('button', { name: 'Run again from this step' }).click()
  await page.getByText('Running again from approve.').waitFor()
  await answerButton(page).waitFor()
  await stepLine(page, /^charge.*done in .*, kept from the earlier run$/).waitFor()
  expect(page.url()).not.toContain(id)
  expect(problems).toEqual([])
})

test('an answer that comes too late stays open with the reason', async () => {
  const id = await waiting()
  const { page } = await openPage(node.url, { token: await node.token('operator') })
  await page.goto(`/executions/${id}`)
  await answerButton(page).click()
  await node.evertick.signal(id, 'approve', 'mine')
  await page.getByRole('button', { name: 'Send answer' }).click()
  const why = page.getByRole('dialog').getByText(/has had its signal|has ended/)
  await why.first().waitFor()
  expect(await page.getByRole('button', { name: 'Send answer' }).count()).toBe(1)
})

test('a viewer sees the wait and cannot answer it, on a phone as well', async () => {
  const id = await waiting()
  const { page, problems } = await openPage(node.url, { token: await node.token('viewer'), ...phone })
  await page.goto(`/executions/${id}`)
  await settled(page)
  await stepLine(page, /^approve: waiting for a signal$/).click()
  expect(await answerButton(page).count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Run again from this step' }).count()).toBe(0)
  expect(await tooWide(page)).toBe(0)
  expect(problems).toEqual([])
})
