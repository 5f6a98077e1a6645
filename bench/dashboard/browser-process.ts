/** Drives Chromium over the list of jobs, in a process of its own: top to bottom, then to one job by its name. */
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumFlags, chromiumPath } from '../../test/browser/global-setup.ts'
import { pageIn, settled } from '../../test/browser/open-page.ts'
import { copyName } from '../fixture.ts'
import type { ApiSaid } from '../http/child-api.ts'
import type { Watched } from './dashboard.ts'

const scrollMs = 8_000
const wanted = copyName(73_410)

async function watch(browser: Browser, { port, token }: ApiSaid): Promise<Watched> {
  const { page } = await pageIn(browser, `http://127.0.0.1:${port}`, { token })
  const openedAt = performance.now()
  await page.goto('/jobs')
  await page.getByRole('link', { name: copyName(0) }).waitFor()
  const firstRowsMs = performance.now() - openedAt
  await settled(page)
  const scrolled = await scroll(page)
  const askedAt = performance.now()
  await page.getByRole('combobox', { name: 'Search jobs' }).fill(wanted)
  await page.getByRole('link', { name: wanted }).waitFor()
  return { ...scrolled, firstRowsMs, filterMs: performance.now() - askedAt }
}

/** As fast as a hand on the scroll bar: a thousand rows and more in a frame. */
async function scroll(page: Page): Promise<Pick<Watched, 'longestTaskMs' | 'frames' | 'droppedFrames'>> {
  return await page.evaluate(async (ms) => {
    const list = document.querySelector('[role="table"][aria-label="Jobs"]')
    if (list === null) throw new Error('There is no list of jobs.')
    let longestTaskMs = 0
    const observer = new PerformanceObserver((seen) => {
      for (const { duration } of seen.getEntries()) longestTaskMs = Math.max(longestTaskMs, duration)
    })
    observer.observe({ entryTypes: ['longtask'] })
    const frame = () => new Promise<number>((drawn) => requestAnimationFrame(drawn))
    const startedAt = await frame()
    const gaps: number[] = []
    for (let last = startedAt; last < startedAt + ms; ) {
      list.scrollTop = ((last - startedAt) / ms) * list.scrollHeight
      const now = await frame()
      gaps.push(now - last)
      last = now
    }
    observer.disconnect()
    const usual = 1_000 / 60
    const droppedFrames = gaps.reduce((sum, gap) => sum + Math.max(0, Math.round(gap / usual) - 1), 0)
    return { longestTaskMs, frames: gaps.length + droppedFrames, droppedFrames }
  }, scrollMs)
}

const api = JSON.parse(process.argv[2] ?? '') as ApiSaid
const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumFlags })
try {
  const found = await watch(browser, api)
  process.send?.(found)
} finally {
  await browser.close()
  process.disconnect()
}
