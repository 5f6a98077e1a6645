import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    environment: 'node',
    include: ['test/**/*.test.ts'],
    globals: false,
    // Processes, not threads: tests that send signals or open a database file must not share one process.
    pool: 'forks',
    // The default keeps a core free for watch mode, which on two cores means no parallel files at all.
    maxWorkers: '100%',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
})
