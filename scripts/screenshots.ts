// npm run screenshots [-- NAME …]: every screen of the dashboard, light and dark, into docs/images. They show the month that
// the browser tests live through, so that anybody can take them again and gets the same.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { chromiumFlags, chromiumPath, type ServedMonth, serveMonth } from '../test/browser/global-setup.ts'
import { pageIn, settled } from '../test/browser/open-page.ts'
import { type Screen, screensOf } from '../test/browser/screens.ts'
import { buildDashboard } from './build-dashboard.ts'
import { root } from './run-command.ts'

const folder = join(root, 'docs', 'images')
const schemes = ['light', 'dark'] as const
const desk = { width: 1440, height: 900, suffix: '' }
const phone = { width: 390, height: 844, suffix: '-phone' }
const onPhones = ['overview', 'jobs', 'job', 'alerts']
/** More would be felt by whoever opens the page that shows it. */
const mostBytes = 250_000

async function take(
  browser: Browser,
  { url, tokens }: ServedMonth,
  { name, path }: Screen,
  { suffix, ...size }: typeof desk,
): Promise<string[]> {
  const faults: string[] = []
  for (const scheme of schemes) {
    const { page, problems } = await pageIn(browser, url, { token: tokens.admin, scheme, ...size })
    await page.goto(path)
    await settled(page)
    const file = join(folder, `${name}${suffix}-${scheme}.png`)
    await page.screenshot({ path: file, animations: 'disabled' })
    await page.context().close()
    const bytes = statSync(file).size
    console.log(`${file.slice(root.length + 1)}  ${Math.ceil(bytes / 1_000)} kB`)
    if (bytes > mostBytes) faults.push(`${file} has ${bytes} bytes, over ${mostBytes}.`)
    faults.push(...problems.map((problem) => `${file}: ${problem}`))
  }
  return faults
}

async function main(names: readonly string[]): Promise<void> {
  await buildDashboard()
  const month = await serveMonth()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: chromiumFlags })
  const faults: string[] = []
  try {
    const screens = await screensOf(month.served)
    mkdirSync(folder, { recursive: true })
    for (const screen of screens.filter(({ name }) => names.length === 0 || names.includes(name))) {
      faults.push(...(await take(browser, month.served, screen, desk)))
      if (onPhones.includes(screen.name)) faults.push(...(await take(browser, month.served, screen, phone)))
    }
  } finally {
    await browser.close()
    await month.stop()
  }
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}

await main(process.argv.slice(2))
