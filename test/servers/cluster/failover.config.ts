/**
 * The configuration of leaders that die, or lose their lifeline: with a lease so long that nobody waits for its end. It is
 * copied into a project, where the library is called 'evertick'.
 */
import { defineConfig, defineJob } from '../../../src/index.ts'

export default defineConfig({
  database: process.env.CLUSTER_DATABASE ?? '',
  leader: { lease: '10m', heartbeat: '1s' },
  worker: { lease: '3s' },
  jobs: [defineJob({ name: 'tick', schedule: { every: '500ms' }, overlap: 'allow', run: () => {} })],
})
