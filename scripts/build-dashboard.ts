// Builds dist/dashboard, and only if what it is made of has changed: `npm start` runs this each time.
import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { root } from './run-command.ts'

const output = join(root, 'dist', 'dashboard')
const stampFile = join(output, '.made-of')

/** Its own sources, the client and the words that it shares with the library, and the tools. */
function madeOf(): string {
  const hash = createHash('sha256')
  const sources = globSync(
    [
      'dashboard/**/*',
      'src/client/**/*.ts',
      'src/core/**/*.ts',
      'package-lock.json',
      'scripts/build-dashboard.ts',
    ],
    {
      cwd: root,
      withFileTypes: true,
    },
  )
  const paths = sources.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  for (const path of paths.toSorted()) hash.update(path.slice(root.length)).update(readFileSync(path))
  return hash.digest('hex')
}

function stamp(): string | null {
  try {
    return readFileSync(stampFile, 'utf8')
  } catch {
    return null
  }
}

/** Whoever builds, also a test. By a `NODE_ENV` of theirs vite would pack Vue as it is for its developers, half as big again. */
async function asShipped(work: () => Promise<unknown>): Promise<void> {
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await work()
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

export async function buildDashboard(): Promise<boolean> {
  const wanted = madeOf()
  if (stamp() === wanted) return false
  await asShipped(() => build({ configFile: join(root, 'dashboard', 'vite.config.ts'), logLevel: 'warn' }))
  mkdirSync(output, { recursive: true })
  writeFileSync(stampFile, wanted)
  return true
}

if (import.meta.main) await buildDashboard()
