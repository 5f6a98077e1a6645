/** Every screen, in both themes and on a phone: nothing is broken, nothing leaves the server, everybody can use it. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import {
  desk,
  type OpenedPage,
  openSharedPage,
  type PageOptions,
  phone,
  settled,
  tooWide,
} from './open-page.ts'
import { screensOf } from './screens.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const month = inject('month')
const screens = await screensOf(month)

/** One page for many screens: a browser need not start afresh for each. */
function sharedPage(options: PageOptions): (path: string) => Promise<OpenedPage> {
  let shared: OpenedPage
  beforeAll(async () => {
    shared = await openSharedPage(month.url, options)
  })
  afterAll(() => shared.page.context().close())
  return async (path) => {
    await shared.page.goto(path)
    await settled(shared.page)
    return shared
  }
}

/** What keeps somebody from using the page, or makes it hard. */
async function seriousIn(page: Page, only: RunOptions = {}): Promise<string[]> {
  return await page.evaluate(async (options) => {
    const { axe } = window as unknown as { axe: { run: (options: RunOptions) => Promise<AxeResults> } }
    const { violations } = await axe.run({ resultTypes: ['violations'], ...options })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  }, only)
}

/** A theme changes colours and nothing else. */
const inThemes: Readonly<Record<'light' | 'dark', RunOptions>> = {
  light: {},
  dark: { runOnly: ['color-contrast', 'link-in-text-block'] },
}

describe('at a desk', () => {
  const open = sharedPage({ token: month.tokens.admin })

  test.each(screens)(
    '$name has no serious violation for assistive technology, in either theme, and fits a phone',
    async ({ path }) => {
      const { page, problems } = await open(path)
      expect(problems).toEqual([])
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
      // By the debugger, past the page's own policy, which lets no script in.
      await page.evaluate(axe)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect({ colorScheme, found: await seriousIn(page, inThemes[colorScheme]) }).toEqual({
          colorScheme,
          found: [],
        })
      }
      await page.setViewportSize(phone)
      await settled(page)
      expect(await tooWide(page)).toBe(0)
      expect(problems).toEqual([])
      await page.setViewportSize(desk)
    },
  )
})

describe('for a viewer', () => {
  const open = sharedPage({ token: month.tokens.viewer })
  const forbidden =
    /^(?:run now|pause|resume|cancel|retry|backfill|delete|edit|duplicate|new job|release|step down|create token|revoke|run again.*)$/i

  test.each(screens)('$name shows no action', async ({ path }) => {
    const { page } = await open(path)
    expect(await page.getByRole('button', { name: forbidden }).count()).toBe(0)
    expect(await page.getByRole('checkbox', { name: /^select/i }).count()).toBe(0)
  })

  test('what runs used is charted on the page of their job; of functions in the node nobody can tell', async () => {
    const at = (name: string) => screens.find((screen) => screen.name === name)?.path ?? ''
    const { page } = await open(at('job-executions'))
    for (const what of ['Peaks of memory', 'CPU times']) {
      const chart = page.getByRole('img', { name: new RegExp(`^${what} of [1-9]\\d* runs`) })
      await chart.locator('canvas').waitFor()
    }
    await open(at('job').replace(/\?.*/, '/executions'))
    expect(await page.getByRole('region', { name: /Peak memory|CPU time/ }).count()).toBe(0)
  })
})
