/** A configuration as most are, with the default leases. It is copied into a project, where the library is called 'evertick'. */
import { defineConfig, defineJob } from '../../../src/index.ts'

export default defineConfig({
  database: process.env.CLUSTER_DATABASE ?? '',
  jobs: [
    defineJob({ name: 'tick', schedule: { every: '1s' }, run: () => {} }),
    defineJob({ name: 'nightly', schedule: { cron: '0 3 * * *', timezone: 'Europe/Madrid' }, run: () => {} }),
  ],
})
