/** A year of a job, most of it folded: it is read at a glance, and each day of it tells what became of its ticks. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPage, type PageOptions, phone, settled, tooWide } from './open-page.ts'
import { openYear, type Year, yearJob } from './seed/year.ts'

let year: Year

beforeAll(async () => {
  year = await openYear()
})

afterAll(async () => {
  await year.stop()
})

async function onTheYear(options: PageOptions = {}) {
  const opened = await openPage(year.url, { token: year.token, ...options })
  await opened.page.goto(`/jobs/${yearJob}`)
  await settled(opened.page)
  await opened.page.getByRole('button', { name: '1 year', exact: true }).click()
  await map(opened.page).waitFor()
  await settled(opened.page)
  return opened
}

const map = (page: Page) => page.getByRole('grid', { name: 'Ticks by month and day, Europe/Madrid time' })
const ledger = (page: Page) => page.getByRole('table', { name: 'Ticks' })

test('a year is a row for each month and a cell for each day, and each tick is in one of them', async () => {
  const { page, problems } = await onTheYear()
  await map(page).getByRole('button', { name: 'Tue 10 Mar: 6 ticks: 6 ran' }).waitFor()
  // From 17 November of the last year to today, below a row of heads.
  expect(await map(page).getByRole('row').count()).toBe(1 + 13)
  expect(await map(page).getByRole('button').count()).toBe(365)
  await map(page).getByRole('button', { name: 'Wed 11 Feb: 6 ticks: 1 failed, 5 ran' }).waitFor()
  await map(page).getByRole('button', { name: 'Thu 23 Jul: 6 ticks: 6 skipped' }).waitFor()
  const counts = await page.getByRole('group', { name: 'Filter by kind' }).innerText()
  const ticks = (counts.match(/\d[\d,]*/g) ?? []).reduce((sum, one) => sum + Number(one.replace(',', '')), 0)
  // Six each day, but for today, which has had three.
  expect(ticks).toBe(364 * 6 + 3)
  expect(problems).toEqual([])
})

test('a day of it lists its ticks, though their details are no longer kept', async () => {
  const { page, problems } = await onTheYear()
  await map(page)
    .getByRole('button', { name: /^Wed 11 Feb:/ })
    .click()
  await page.getByRole('heading', { name: 'Ledger for Wed 11 Feb' }).waitFor()
  await settled(page)
  const rows = await ledger(page).getByRole('row').locator('.cut:nth-child(3)').allInnerTexts()
  expect(rows).toEqual([
    '2 ticks completed; details no longer kept',
    'Failed; details no longer kept',
    '3 ticks completed; details no longer kept',
  ])
  // The arrow keys go from day to day.
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ledger for Thu 12 Feb' }).waitFor()
  expect(problems).toEqual([])
})

test('it fits a phone: no cell is lost, and the account of a tick can be read', async () => {
  const { page, problems } = await onTheYear(phone)
  expect(await tooWide(page)).toBe(0)
  const edge = (await map(page).boundingBox())?.width ?? 0
  const narrowest = await map(page)
    .getByRole('button')
    .evaluateAll((cells) => Math.min(...cells.map((cell) => cell.getBoundingClientRect().width)))
  expect(edge).toBeLessThanOrEqual(phone.width)
  expect(narrowest).toBeGreaterThanOrEqual(7)
  await map(page)
    .getByRole('button', { name: /^Wed 11 Feb:/ })
    .click()
  const account = ledger(page).getByText('2 ticks completed; details no longer kept')
  await account.waitFor()
  expect(await account.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0)
  expect(problems).toEqual([])
})

test('the overview counts the runs of a year, also those that are folded', async () => {
  const { page, problems } = await openPage(year.url, { token: year.token })
  await page.goto('/')
  await settled(page)
  await page.getByRole('button', { name: '1 year', exact: true }).click()
  await settled(page)
  const spoken = await page.getByRole('img', { name: /completed/ }).getAttribute('aria-label')
  // 73 bars of five days, of which the last has not ended.
  expect(spoken).toBe('2,091 runs completed, 47 failed, 42 ticks skipped')
  expect(problems).toEqual([])
})
