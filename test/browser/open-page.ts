/** A page in the one browser of the run, which tells of everything that went wrong in it. */
import { type Browser, type BrowserContextOptions, chromium, type Page, type Request } from 'playwright-core'
import { inject, onTestFinished } from 'vitest'

export interface OpenedPage {
  readonly page: Page
  /** Errors, refused loads, breaches of the content policy and requests to elsewhere, as they came. */
  readonly problems: readonly string[]
}

export interface PageOptions {
  /** Sent with each request, in place of a session. */
  readonly token?: string
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly scale?: number
}

export const desk = { width: 1440, height: 900 }
export const phone = { width: 390, height: 844 }

let connected: Promise<Browser> | null = null

function theBrowser(): Promise<Browser> {
  const endpoint = inject('browserEndpoint')
  if (endpoint === null) throw new Error(inject('missingBrowser') ?? 'There is no browser.')
  connected ??= chromium.connect(endpoint)
  return connected
}

/** Whoever opens it closes its context. */
export async function openSharedPage(origin: string, options: PageOptions): Promise<OpenedPage> {
  return await pageIn(await theBrowser(), origin, options)
}

/** Closed with its test. */
export async function openPage(origin: string, options: PageOptions = {}): Promise<OpenedPage> {
  const opened = await openSharedPage(origin, options)
  onTestFinished(() => opened.page.context().close())
  return opened
}

export async function pageIn(browser: Browser, origin: string, options: PageOptions): Promise<OpenedPage> {
  const { token, scheme = 'light', width = desk.width, height = desk.height, scale = 1 } = options
  const context = await browser.newContext({
    baseURL: origin,
    colorScheme: scheme,
    viewport: { width, height },
    deviceScaleFactor: scale,
    timezoneId: 'Europe/Madrid',
    reducedMotion: 'reduce',
    ...(token === undefined ? {} : { extraHTTPHeaders: { authorization: `Bearer ${token}` } }),
  } satisfies BrowserContextOptions)
  const page = await context.newPage()
  watchRequests(page)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      problems.push(`console: ${message.text()}`)
  })
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(origin).origin) problems.push(`elsewhere: ${request.url()}`)
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      console.error(`content policy: ${violatedDirective} ${blockedURI}`)
    })
  })
  return { page, problems }
}

/** Nothing is being loaded any more: no answer is awaited, and no placeholder is left, also in the frame after that. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main#main').waitFor()
  let wasQuiet = false
  for (;;) {
    await Promise.all([...awaited(page)].map((request) => request.response().catch(() => null)))
    await page.waitForFunction(() => document.querySelector('[aria-label="Loading"]') === null)
    const isQuiet = awaited(page).size === 0
    if (isQuiet && wasQuiet) return
    wasQuiet = isQuiet
    await page.evaluate(
      () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
    )
  }
}

const requests = new WeakMap<Page, Set<Request>>()

function awaited(page: Page): ReadonlySet<Request> {
  return requests.get(page) ?? new Set()
}

/** The stream of events is never done, and is not waited for. */
function watchRequests(page: Page): void {
  const open = new Set<Request>()
  requests.set(page, open)
  page.on('request', (request) => {
    if (!request.url().endsWith('/api/v1/events')) open.add(request)
  })
  page.on('requestfinished', (request) => void open.delete(request))
  page.on('requestfailed', (request) => void open.delete(request))
}

/** By how much the page must be scrolled sideways. */
export async function tooWide(page: Page): Promise<number> {
  return await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
}
