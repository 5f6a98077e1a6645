/** What people come for, done in a real browser with a real node behind it, among ten thousand jobs. */
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { defineJob } from '../../src/index.ts'
import { until } from '../process/until.ts'
import { type LiveNode, openLiveNode } from './live-node.ts'
import { openPage } from './open-page.ts'

const crowd = 10_000
const inBatchesOf = 500
/** So many of the crowd are for one season. */
const wintry = 150

const exported = Promise.withResolvers<void>()
const held = Promise.withResolvers<void>()
const jobs = [
  defineJob({ name: 'refresh', run: () => 'refreshed' }),
  defineJob({
    name: 'export.customer-data',
    description: 'Everything that we know of one customer, as a file.',
    input: z.object({
      customer: z.string().min(1),
      format: z.enum(['csv', 'json']).default('csv'),
      rows: z.int().min(1).max(1_000).default(10),
    }),
    run: async ({ input, log }) => {
      log.info(`exporting ${input.rows} rows of ${input.customer}`)
      await exported.promise
      return { file: `${input.customer}.${input.format}` }
    },
  }),
  defineJob({ name: 'mail.poll', schedule: { every: '1s' }, run: () => 'no mail' }),
  defineJob({ name: 'import.slow', schedule: { every: '1s' }, overlap: 'skip', run: () => held.promise }),
  defineJob({ name: 'reports.totals', schedule: { every: '6h', anchor: 'epoch' }, run: () => 'added up' }),
  defineJob({
    name: 'rates.fetch',
    schedule: { cron: '* * * * *' },
    catchUp: 'latest',
    run: () => 'fetched',
  }),
]

let node: LiveNode

beforeAll(async () => {
  node = await openLiveNode({ jobs })
  // Days from now, at whatever hour this runs: the last journey skips three hours, and is not about ten thousand catch-ups.
  const weekday = (new Date().getUTCDay() + 3) % 7
  const schedule = { cron: `0 3 * * ${weekday}`, timezone: 'America/New_York' }
  for (let made = 0; made < crowd; made += inBatchesOf) {
    const batch = Array.from({ length: inBatchesOf }, async (_, index) => {
      const tags = made + index < wintry ? ['winter'] : ['shop']
      return await node.evertick.jobs.create({
        name: nameOf(made + index),
        handler: 'refresh',
        schedule,
        tags,
      })
    })
    await Promise.all(batch)
  }
})

afterAll(async () => {
  exported.resolve()
  held.resolve()
  await node.stop()
})

function nameOf(shop: number): string {
  return `shop-${String(shop).padStart(5, '0')}.refresh`
}

/** As a person does it: by a link. */
async function signedIn(): Promise<{ page: Page; problems: readonly string[] }> {
  const opened = await openPage(node.url)
  await opened.page.goto(await node.link())
  await theMenu(opened.page).waitFor()
  return opened
}

async function onJob(name: string): Promise<{ page: Page; problems: readonly string[] }> {
  const opened = await signedIn()
  await opened.page.goto(`/jobs/${name}`)
  await heading(opened.page, name).waitFor()
  return opened
}

/** It is there for whoever is signed in. */
const theMenu = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
/** Its word, behind its shape. */
const state = (page: Page, name: string): Locator => page.getByText(new RegExp(`^\\S${name}$`)).first()
const heading = (page: Page, name: string): Locator => page.getByRole('heading', { level: 1, name })
const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true })
const dialogButton = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

async function choose(page: Page, menu: string | RegExp, item: string | RegExp): Promise<void> {
  await button(page, menu).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('by a link', () => {
  test('one is signed in by a cookie that no script can read, and the link works once', async () => {
    const { page, problems } = await openPage(node.url)
    const link = await node.link()
    await page.goto(link)
    await theMenu(page).waitFor()
    expect(await page.context().cookies()).toMatchObject([{ httpOnly: true, sameSite: 'Strict' }])
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.reload()
    await theMenu(page).waitFor()
    expect(problems).toEqual([])

    const { page: other } = await openPage(node.url)
    await other.goto(link)
    await other.getByText(/Signing in/).waitFor({ state: 'hidden' })
    await other.goto('/')
    await other.getByRole('button', { name: 'Sign in' }).waitFor()
  })
})

test('a job is found among ten thousand', async () => {
  const { page, problems } = await signedIn()
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.getByText(/^10,0\d\d jobs$/).waitFor()
  await page.getByRole('combobox', { name: 'Search jobs' }).fill('shop-07341')
  await page.getByText('1 job', { exact: true }).waitFor()
  await page.getByRole('link', { name: nameOf(7_341) }).click()
  await heading(page, nameOf(7_341)).waitFor()
  expect(problems).toEqual([])
})

test('one scrolls on and on, further than what has been read', async () => {
  const { page, problems } = await signedIn()
  await page.goto('/jobs')
  const list = page.getByRole('table', { name: 'Jobs' })
  await list.getByRole('link').first().waitFor()
  const rowsAfterScroll = async () =>
    await list.evaluate((element) => {
      element.scrollTop = element.scrollHeight
      return Number(element.getAttribute('aria-rowcount'))
    })
  await expect.poll(rowsAfterScroll, { timeout: 30_000 }).toBeGreaterThan(1_500)
  expect(problems).toEqual([])
})

test('a job runs with what was written into its form, and is watched until it has finished', async () => {
  const { page, problems } = await onJob('export.customer-data')
  await button(page, 'Run now').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('customer').fill('Acme')
  await dialog.getByLabel('format').selectOption('json')
  await dialog.getByLabel('rows').fill('42')
  await dialogButton(page, 'Run now').click()

  await page.getByText('exporting 42 rows of Acme').waitFor()
  await state(page, 'running').waitFor()
  exported.resolve()
  await page.getByText('Acme.json').waitFor()
  await state(page, 'completed').waitFor()
  expect(problems).toEqual([])
})

test('a job is paused with a reason, and its ticks meanwhile are accounted for as skipped', async () => {
  const { page, problems } = await onJob('mail.poll')
  await button(page, 'Pause').click()
  await page.getByRole('dialog').getByLabel('Reason').fill('The mail server moves')
  await dialogButton(page, 'Pause').click()
  await page
    .getByRole('status')
    .filter({ hasText: /Paused by ana, .+: The mail server moves/ })
    .waitFor()
  await until('a tick to be held back', async () => {
    const ticks = await node.evertick.jobs.ticks('mail.poll')
    return ticks.some(({ account }) => account === 'undecided')
  })

  await button(page, 'Resume').click()
  await page
    .getByRole('dialog')
    .getByText(/It missed (?:no|(?:at least )?[\d,]+) ticks?\./)
    .waitFor()
  await dialogButton(page, 'Resume').click()
  await page.getByRole('cell', { name: /skipped: the job was paused$/i }).waitFor()
  await page.getByText('0 unaccounted').waitFor()
  expect(problems).toEqual([])
})

test('a tick that did not run says why', async () => {
  const { page, problems } = await onJob('import.slow')
  // There may be more than one range of them by now.
  await page
    .getByRole('cell', { name: /skipped: the previous run was still going$/i })
    .first()
    .waitFor()
  held.resolve()
  expect(problems).toEqual([])
})

test('a backfill says what it would do before it does it', async () => {
  const { page, problems } = await onJob('reports.totals')
  await choose(page, 'More actions', 'Backfill …')
  await dialogButton(page, 'Preview').click()
  const plan = page.getByRole('dialog').getByRole('status')
  await plan.waitFor()
  expect(await plan.innerText()).toMatch(/^This would create 4 runs, first .+, last .+\.$/)
  expect((await node.evertick.executions.list({ job: 'reports.totals' })).executions).toEqual([])
  await dialogButton(page, 'Create 4 runs').click()
  await page.getByText('Created 4 runs of reports.totals. They run one after the other.').waitFor()
  expect(problems).toEqual([])
})

test('all that match are paused together, once their number was typed', async () => {
  const { page, problems } = await signedIn()
  await page.goto('/jobs?filter=tag:winter')
  await page.getByRole('checkbox', { name: `Select ${nameOf(0)}` }).check()
  await button(page, `Select all ${wintry} matching jobs`).click()
  await button(page, 'Pause').click()
  await dialogButton(page, 'Pause').waitFor()
  await expect.poll(() => dialogButton(page, 'Pause').isDisabled()).toBe(true)
  const typed = page.getByRole('dialog').getByLabel(`Type ${wintry} to confirm`)
  await typed.fill(String(wintry - 1))
  expect(await dialogButton(page, 'Pause').isDisabled()).toBe(true)
  await typed.fill(String(wintry))
  await page.getByRole('dialog').getByLabel('Reason').fill('Spring')
  await dialogButton(page, 'Pause').click()
  await page.getByText(`${wintry} jobs paused.`).waitFor()
  const { jobs: paused } = await node.evertick.jobs.list({ filter: 'state:paused', limit: 500 })
  expect(paused.filter(({ pausedReason }) => pausedReason === 'Spring')).toHaveLength(wintry)
  expect(problems).toEqual([])
})

test('theme and zone take effect at once, and last', async () => {
  const { page, problems } = await onJob(nameOf(9_999))
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await background()
  await choose(page, 'Theme', 'Dark')
  await expect.poll(background).not.toBe(light)
  const dark = await background()
  await page
    .getByText(/\d\d:00 Madrid$/)
    .first()
    .waitFor()
  await choose(page, /^Times:/, 'UTC')
  await page
    .getByText(/\d\d:00 UTC$/)
    .first()
    .waitFor()
  await choose(page, /^Times:/, /job's time zone/)
  await page
    .getByText(/03:00 New York$/)
    .first()
    .waitFor()

  await page.reload()
  await page
    .getByText(/03:00 New York$/)
    .first()
    .waitFor()
  expect(await background()).toBe(dark)
  await choose(page, 'Theme', 'Light')
  await expect.poll(background).toBe(light)
  expect(problems).toEqual([])
})

test('who comes back reads what happened while nobody led', async () => {
  const { page } = await signedIn()
  const hours = 3
  node = await node.backAfter(hours * 3_600_000)
  await page.goto(node.url)
  const story = page.getByRole('region', { name: 'While you were away' })
  await story.getByText(/No node led for 3 h/).waitFor()
  await story.getByText(/ticks missed$/).waitFor()
  await story
    .getByRole('listitem')
    .filter({ hasText: 'rates.fetch' })
    .getByText(/1 caught up, 1\d\d coalesced/)
    .waitFor()
  await story.getByRole('button', { name: 'Got it' }).click()
  await story.waitFor({ state: 'detached' })
  await page.reload()
  await theMenu(page).waitFor()
  await page
    .getByText(/Next 24 hours/i)
    .first()
    .waitFor()
  expect(await story.count()).toBe(0)
})

test('with the node gone, the page says what was last known, never that all is good', async () => {
  const gone = await openLiveNode({ jobs: [defineJob({ name: 'quiet', run: () => 'said' })] })
  const { page } = await openPage(gone.url)
  await page.goto(await gone.link())
  await page.getByText(/^All good: 1 job/).waitFor()
  await gone.stop()
  await heading(page, 'Last known').waitFor()
  const bar = page.getByRole('banner')
  await bar.getByText(/^Last known \d\d:\d\d .+, the node is not responding$/).waitFor()
  expect(await page.getByText(/All good/).count()).toBe(0)
})
