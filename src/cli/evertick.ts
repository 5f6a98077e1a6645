#!/usr/bin/env node
/**
 * The binary's first file. It checks the version of Node before anything else is imported, so that an old Node gets a
 * sentence instead of a syntax error.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

async function run(): Promise<void> {
  const { enableCompileCache } = await import('node:module')
  const { compileCacheFolder } = await import('./compile-cache.ts')
  const folder = compileCacheFolder(process.env)
  // From the second time on, a command answers in a third of the time.
  if (folder !== null) enableCompileCache(folder)
  const { main } = await import('./main.ts')
  await main()
}

if (major > 22 || (major === 22 && minor >= 18)) {
  void run()
} else {
  process.stderr.write(
    `evertick needs Node 22.18 or later; this is Node ${process.versions.node}.\n` +
      'Install a newer one from https://nodejs.org, or run `npx -p node@24 -p evertick evertick …`.\n',
  )
  process.exitCode = 1
}
