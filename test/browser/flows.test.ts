/** A flow in a real browser: its graph is walked by keyboard, its states change while one looks, and a part runs again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defineJob } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { type LiveNode, openLiveNode } from './live-node.ts'
import { openPage, phone, settled, tooWide } from './open-page.ts'

let node: LiveNode
let mayEnd = false

const work = defineJob<'fails' | 'waits' | undefined>({
  name: 'import.rows',
  retry: { attempts: 1 },
  run: async (ctx) => {
    if (ctx.input === 'fails' && !mayEnd) throw new Error('no answer')
    if (ctx.input === 'waits') await until('the end', () => mayEnd || ctx.signal.aborted)
  },
})

beforeAll(async () => {
  node = await openLiveNode({ jobs: [work] })
})
afterAll(() => node.stop())

test('arrow keys walk along the graph, states change while one looks, and what failed runs again', async () => {
  mayEnd = false
  const { id } = await node.evertick.flow({
    name: 'nightly import',
    steps: {
      fetch: { job: work },
      parse: { job: work, input: 'fails', after: ['fetch'] },
      check: { job: work, input: 'waits', after: ['fetch'] },
      store: { job: work, after: ['parse', 'check'] },
    },
  })
  await until('the failure', async () => (await node.evertick.flows.get(id)).counts.failed === 1)
  const { page, problems } = await openPage(node.url, { token: await node.token('operator') })
  await page.goto('/flows')
  await page.getByRole('link', { name: 'nightly import' }).click()
  await page.getByText('1 of 4 completed, 1 failed, 1 cancelled').waitFor()
  const graph = page.getByRole('group', { name: /^Graph of the steps/ })
  const step = (name: string) => graph.getByRole('link', { name: new RegExp(`^${name}: `) })
  await step('fetch').focus()
  const focused = async () =>
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  await page.keyboard.press('ArrowRight')
  // Which of the two is above is for the layout to say.
  const beside = new Set([await focused()])
  for (const key of ['ArrowDown', 'ArrowUp', 'ArrowUp']) {
    await page.keyboard.press(key)
    beside.add(await focused())
  }
  expect([...beside].toSorted()).toEqual([
    'check: import.rows, running, after fetch',
    'parse: import.rows, failed, after fetch',
  ])
  await page.keyboard.press('ArrowRight')
  expect(await focused()).toBe('store: import.rows, cancelled, after parse, check')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  expect(await focused()).toMatch(/^fetch: /)

  mayEnd = true
  await step('check')
    .and(page.getByRole('link', { name: /completed/ }))
    .waitFor()
  await page.getByRole('button', { name: 'Retry what did not complete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).press('Enter')
  await page.getByText('4 of 4 completed').waitFor()
  await step('store').focus()
  await page.keyboard.press('Enter')
  await page.getByText(`step store of ${id}`).waitFor()
  expect(problems).toEqual([])
})

test('a batch says how far it is and what follows, also on a phone', async () => {
  mayEnd = true
  const items = [{ job: work }, { job: work }]
  const { id } = await node.evertick.enqueueMany(items, { batch: { name: 'thumbnails', onDone: work } })
  await until('its end', async () => (await node.evertick.batches.get(id)).doneAt !== null)
  const { page, problems } = await openPage(node.url, { token: await node.token('viewer'), ...phone })
  await page.goto('/flows/batches')
  await page.getByRole('link', { name: 'thumbnails' }).click()
  await page.getByText('2 of 2 completed').waitFor()
  await settled(page)
  expect(await tooWide(page)).toBe(0)
  await page.getByRole('link', { name: 'All its executions' }).click()
  await page.getByRole('link', { name: 'import.rows' }).first().waitFor()
  expect(problems).toEqual([])
})
