import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const shared = [
  'core',
  'http',
  'dashboard',
  'outbound',
  'sources',
  'client',
  'app',
  'engine',
  'promises',
  'store',
].map((folder) => `test/${folder}/**/*.test.ts`)

export default defineConfig({
  test: {
    environment: 'node',
    globals: false,
    // Processes, not threads: tests that send signals or open a database file must not share one process.
    pool: 'forks',
    // Half as many again as there are cores: much of a test is waiting, for a process, a lease or a page.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // Of patience, not of speed: where much else runs, a test may take ten times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Hundreds of processes of the product start from source: each need not strip its types and compile it anew.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules', '.cache', 'compiled') },
    restoreMocks: true,
    unstubEnvs: true,
    // Projects, so that servers and browser are started only where a test of theirs is to run.
    projects: [
      {
        extends: true,
        test: {
          name: 'tests',
          // Not by `exclude`: in a project that has its own, vitest drops the `--exclude` of the command line, and
          // `npm run test:unit` would run everything.
          include: [
            'test/**/*.test.ts',
            '!test/servers/**',
            '!test/browser/**',
            ...shared.map((path) => `!${path}`),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'shared',
          include: shared,
          // These leave nothing behind in their process: loading the product once for all of them saves a minute.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'servers',
          include: ['test/servers/**/*.test.ts'],
          globalSetup: ['test/services/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
