/** Once per vitest run: the dashboard as it is built, and one Chromium, found or installed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { buildDashboard } from '../../scripts/build-dashboard.ts'
import type { AccessRole } from '../../src/core/access/access-role.ts'
import { findProgram, howToGet, services } from '../services/binaries.ts'
import { installMissing } from '../services/install.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of this run is reached. */
    readonly browserEndpoint: string | null
    /** Why there is none, and what to install. */
    readonly missingBrowser: string | null
    /** The node that has lived through a month, and who may look at it. */
    readonly month: ServedMonth
  }
}

export interface ServedMonth {
  readonly url: string
  readonly tokens: Readonly<Record<AccessRole, string>>
}

/** As root it has no sandbox; and nothing in it may speak to the world by itself. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const [month, browser] = await Promise.all([serveMonth(), launch(), buildDashboard()])
  project.provide('browserEndpoint', browser.endpoint)
  project.provide('missingBrowser', browser.missing)
  project.provide('month', month.served)
  return async () => {
    await browser.close()
    await month.stop()
  }
}

interface Launched {
  readonly endpoint: string | null
  readonly missing: string | null
  close(): Promise<void>
}

/** Where there is none to be had, the tests of the dashboard say so; all the others run. */
async function launch(): Promise<Launched> {
  try {
    await installMissing(['chromium'])
    const folder = mkdtempSync(join(tmpdir(), 'evertick-chromium-'))
    const server = await chromium.launchServer({
      executablePath: chromiumPath(),
      args: [...chromiumFlags, `--crash-dumps-dir=${folder}`],
      // Its own files, and none of the user's.
      env: { ...definedEnvironment(), HOME: folder },
    })
    const close = async () => {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    }
    return { endpoint: server.wsEndpoint(), missing: null, close }
  } catch (error) {
    const missing = error instanceof Error ? error.message : String(error)
    process.stdout.write(`Chromium    missing: ${missing}\n`)
    return { endpoint: null, missing, close: async () => {} }
  }
}

/** In a process of its own: a month of steps would hold up whoever shares one with it. */
export async function serveMonth(): Promise<{ readonly served: ServedMonth; stop(): Promise<void> }> {
  const program = new URL('seed/serve-month.ts', import.meta.url).pathname
  const child = spawn(process.execPath, ['--no-warnings', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const [line] = await Promise.race([once(createInterface(child.stdout), 'line'), ended.then(() => [null])])
  if (typeof line !== 'string') throw new Error('The month could not be lived through: see above.')
  return {
    served: JSON.parse(line) as ServedMonth,
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

export function chromiumPath(): string {
  const found = findProgram(...services.chromium.programs[0])
  if (found === null) throw new Error(howToGet('chromium'))
  return found
}

function definedEnvironment(): Record<string, string> {
  const defined = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return Object.fromEntries(defined)
}
