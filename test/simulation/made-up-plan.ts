/** A plan for tests that need no world: two nodes, two jobs, and steps that name them. */
import { calm, type JobPlan, type NodePlan, type Plan } from './plan/plan.ts'

export const quietJob: JobPlan = {
  name: 'job-1',
  options: { schedule: { cron: '*/2 * * * *', timezone: 'Europe/Madrid' }, overlap: 'buffer_one' },
  work: {
    durationsMs: [0, 400],
    throws: 0.1,
    snoozes: 0,
    retries: 0,
    transactional: true,
    transactionMs: 0,
    heeds: true,
    enqueues: 'job-2',
    parts: [],
  },
}

export const bothRoles: NodePlan = {
  roles: ['scheduler', 'worker'],
  concurrency: 2,
  clock: { skewMs: 0, rate: 1 },
  lacks: null,
}

export const madeUpPlan: Plan = {
  seed: 7,
  mode: 'safety',
  startAt: Date.parse('2027-03-28T00:56:30Z'),
  durationMs: 240_000,
  timing: {
    leaderLeaseMs: 4_000,
    heartbeatMs: 1_333,
    workerLeaseMs: 10_000,
    longestSleepMs: 30_000,
    catchUpRate: 10,
  },
  weather: { ...calm, latencyMs: 300, refused: 0.02 },
  lifelines: true,
  nodes: [
    bothRoles,
    { ...bothRoles, clock: { skewMs: -2_000, rate: 1 } },
    { ...bothRoles, roles: ['worker'], lacks: 'job-2' },
  ],
  jobs: [
    quietJob,
    {
      ...quietJob,
      name: 'job-2',
      options: { schedule: { every: 5_000 } },
      work: { ...quietJob.work, enqueues: null },
    },
  ],
  steps: [
    { atMs: 1_000, kind: 'crash', node: 0, forMs: 2_000 },
    { atMs: 2_000, kind: 'pause', via: 2, job: 'job-1', forMs: null },
    { atMs: 3_000, kind: 'freeze', node: 1, forMs: 9_000 },
    { atMs: 4_000, kind: 'down', forMs: 500 },
    { atMs: 5_000, kind: 'trigger', via: 1, job: 'job-2', force: false },
    { atMs: 6_000, kind: 'jump', node: 2, ms: -30_000 },
    { atMs: 7_000, kind: 'lock', via: -1, ttlMs: 2_000, holdMs: 1_000 },
    { atMs: 90_000, kind: 'crash', node: 2, forMs: 100 },
  ],
}
