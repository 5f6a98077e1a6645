#!/usr/bin/env node
/**
 * The binary's first file. It checks the version of Node before anything else is imported, so that an old Node gets a
 * sentence instead of a syntax error.
 */
import { tooOldNode } from '../core/node-version.ts'

const tooOld = tooOldNode(process.versions.node)

async function run(): Promise<void> {
  const { enableCompileCache } = await import('node:module')
  const { compileCacheFolder } = await import('./compile-cache.ts')
  const folder = compileCacheFolder(process.env)
  // From the second run on, a command answers in a third of the time.
  if (folder !== null) enableCompileCache(folder)
  const { main } = await import('./main.ts')
  await main()
}

if (tooOld === null) {
  void run()
} else {
  process.stderr.write(
    `${tooOld}\n` +
      'Install a newer Node from https://nodejs.org, or run `npx -p node@24 -p evertick evertick …`.\n',
  )
  process.exitCode = 1
}
